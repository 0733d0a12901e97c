import { textsOf } from './texts.ts';

/** Texts of the dialog for a session that has ended. Their language is chosen before. */
export const sessionText = textsOf({
  en: {
    'session.ended': 'Your session has ended',
    'session.keep': 'Sign in again to go on. Your changes are not lost.',
    'session.name': 'Name',
    'session.password': 'Password',
    'session.signIn': 'Sign in',
  },
  de: {
    'session.ended': 'Die Sitzung ist abgelaufen',
    'session.keep': 'Melde dich wieder an, um weiterzuarbeiten. Was du geschrieben hast, bleibt erhalten.',
    'session.name': 'Name',
    'session.password': 'Passwort',
    'session.signIn': 'Anmelden',
  },
  ar: {
    'session.ended': 'انتهت جلستك',
    'session.keep': 'سجّل الدخول مجددًا للمتابعة. لم تُفقد تغييراتك.',
    'session.name': 'الاسم',
    'session.password': 'كلمة المرور',
    'session.signIn': 'تسجيل الدخول',
  },
});
