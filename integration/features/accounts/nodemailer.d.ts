/** The part of the package that is used. */
declare module 'nodemailer' {
  export function createTransport(url: string, defaults: { readonly from: string }): Transport;
  interface Transport {
    sendMail(mail: {
      readonly to: string;
      readonly subject: string;
      readonly text: string;
    }): Promise<unknown>;
  }
}
