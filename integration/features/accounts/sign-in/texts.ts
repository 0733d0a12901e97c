import type { PageLanguage } from '../../../core/server/page.ts';
import { type DomainError, TooManyRequestsError } from '../../../core/util/errors.ts';

/** The languages of the sign-in pages and of mails, which are those of the admin. */
const LANGUAGES = ['en', 'de', 'ar'] as const;
type LanguageCode = (typeof LANGUAGES)[number];

/** Texts in one language. They are named by the English text, `{name}` included; one without a translation stays English. */
export interface Texts {
  readonly page: PageLanguage;
  text(english: string, parameters?: Readonly<Record<string, string>>): string;
  failure(error: DomainError): string;
}

/** The first language of an `Accept-Language` header that there is; English without one. */
export function textsFor(acceptLanguage: string | null): Texts {
  const code = preferred(acceptLanguage);
  const at = LANGUAGES.indexOf(code) - 1;
  const text: Texts['text'] = (english, parameters = {}) => {
    const template = TRANSLATIONS.get(english)?.[at] ?? english;
    return template.replace(/\{(\w+)\}/g, (placeholder, name: string) => parameters[name] ?? placeholder);
  };
  return {
    page: { code, direction: code === 'ar' ? 'rtl' : 'ltr', error: ERROR[code] },
    text,
    failure(error) {
      const { detail } = error;
      if (code === 'en' || !(error instanceof TooManyRequestsError) || TRANSLATIONS.has(detail))
        return text(detail);
      const unit = { style: 'unit', unit: 'minute', unitDisplay: 'long' } as const;
      const minutes = Math.max(1, Math.ceil((error.details.retryAfterSeconds ?? 60) / 60));
      const time = new Intl.NumberFormat(code, unit).format(minutes);
      return text('Too many failed sign-ins. Try again in {time}.', { time });
    },
  };
}

/** Source: RFC 9110, 12.5.4. */
function preferred(header: string | null): LanguageCode {
  const ranges = (header ?? '')
    .slice(0, MAX_HEADER)
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.trim().toLowerCase().split(';');
      const quality = parameters.map((parameter) => /^q=([\d.]+)$/.exec(parameter.trim())?.[1]).find(Boolean);
      return { code: tag.split('-', 1)[0], quality: Number(quality ?? 1) };
    });
  const wanted = ranges.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
  for (const { code } of wanted) {
    const language = LANGUAGES.find((each) => each === code);
    if (language !== undefined) return language;
  }
  return 'en';
}

const MAX_HEADER = 500;

const ERROR: Readonly<Record<LanguageCode, string>> = { en: 'Error: ', de: 'Fehler: ', ar: 'خطأ: ' };

export const WITHOUT_SESSIONS =
  'Signing in with a form needs sessions, but this site does not store any: its adapter has no session storage, or option session is false. Set session.driver in astro.config. HTTP Basic and tokens work without sessions.';
export const SETUP_EXPIRED =
  'This setup link is no longer valid: it works once and expires. Restart the server to get a new one, or add an account on the command line: npx astro-jsonapi account add <name> --role administrator';
export const FIXED_PASSWORDS =
  'The passwords of this site are part of the settings of its server. Ask the person who runs the server for a new one.';
export const WITHOUT_MAIL =
  'This site sends no mail. Ask an administrator: on the page of your account in the admin, under People, they can create a link with which you choose a new password.';

/** In each line English, German and Arabic. */
const TABLE = `
Sign in | Anmelden | تسجيل الدخول
Name | Name | الاسم
Password | Passwort | كلمة المرور
At least 8 characters. | Mindestens 8 Zeichen. | 8 أحرف على الأقل.
Forgot your password? | Passwort vergessen? | هل نسيت كلمة المرور؟
Name or e-mail address | Name oder E-Mail-Adresse | الاسم أو البريد الإلكتروني
Send the link | Link senden | إرسال الرابط
Welcome | Willkommen | مرحبًا
Choose a new password | Ein neues Passwort wählen | اختر كلمة مرور جديدة
Choose a password for your account {name}. You sign in with both. | Wähle ein Passwort für dein Konto {name}. Du meldest dich mit Name und Passwort an. | اختر كلمة مرور لحسابك {name}. تسجّل الدخول بالاسم وكلمة المرور.
The new password is for the account {name}. Its other sessions end. | Das neue Passwort ist für das Konto {name}. Dessen andere Sitzungen enden. | كلمة المرور الجديدة للحساب {name}. تنتهي جلساته الأخرى.
Create the password | Passwort anlegen | إنشاء كلمة المرور
Change the password | Passwort ändern | تغيير كلمة المرور
Create the first account | Das erste Konto anlegen | إنشاء الحساب الأول
This site has no accounts yet. The account you create here is an administrator with all permissions. | Diese Website hat noch keine Konten. Das Konto, das du hier anlegst, darf als Administrator alles. | ليس في هذا الموقع حسابات بعد. الحساب الذي تنشئه هنا مسؤول بكل الصلاحيات.
Create account | Konto anlegen | إنشاء الحساب
Signed in | Angemeldet | تم تسجيل الدخول
You are signed in as {name}. | Du bist als {name} angemeldet. | أنت مسجل الدخول باسم {name}.
Sign out | Abmelden | تسجيل الخروج
Open the admin | Verwaltung öffnen | فتح لوحة الإدارة
Go to the site | Zur Website | إلى الموقع
You are signed out | Du bist abgemeldet | تم تسجيل الخروج
No account is signed in here. | Hier ist kein Konto angemeldet. | لا حساب مسجل الدخول هنا.
Look into your mail | Sieh in deinem Postfach nach | راجع بريدك
No mail? Look into the folder for spam, or ask an administrator for a link. | Keine E-Mail? Sieh im Spam-Ordner nach, oder bitte einen Administrator um einen Link. | لم تصل رسالة؟ راجع مجلد الرسائل غير المرغوبة، أو اطلب رابطًا من مسؤول.
This link is no longer valid: it works once, and it expires. | Dieser Link gilt nicht mehr: Er funktioniert nur einmal und läuft ab. | لم يعد هذا الرابط صالحًا: يعمل مرة واحدة، وتنتهي صلاحيته.
Ask an administrator for another one. | Bitte einen Administrator um einen anderen. | اطلب رابطًا آخر من مسؤول.
Get another link | Einen anderen Link bekommen | الحصول على رابط آخر
The password is set | Das Passwort ist gesetzt | تم تعيين كلمة المرور
The account was created | Das Konto ist angelegt | أُنشئ الحساب
The name or the password is wrong. | Der Name oder das Passwort ist falsch. | الاسم أو كلمة المرور غير صحيح.
Too many failed sign-ins. Try again in {time}. | Zu viele fehlgeschlagene Anmeldungen. Versuche es in {time} wieder. | محاولات دخول فاشلة كثيرة. حاول مرة أخرى بعد {time}.
Too many links were requested from here. Try again later. | Von hier wurden zu viele Links angefordert. Versuche es später wieder. | طُلبت روابط كثيرة من هنا. حاول لاحقًا.
The password needs at least 8 characters. A few unrelated words are a good choice. | Das Passwort braucht mindestens 8 Zeichen. Ein paar Wörter ohne Zusammenhang sind eine gute Wahl. | تحتاج كلمة المرور إلى 8 أحرف على الأقل. بضع كلمات غير مترابطة خيار جيد.
The password must not be the name of the account. | Das Passwort darf nicht der Name des Kontos sein. | لا يجوز أن تكون كلمة المرور اسم الحساب.
Signing in with a form needs sessions, but this site does not store any: its adapter has no session storage, or option session is false. Set session.driver in astro.config. HTTP Basic and tokens work without sessions. | Die Anmeldung mit einem Formular braucht Sitzungen, aber diese Website speichert keine: ihr Adapter hat keinen Speicher dafür, oder die Option session ist false. Setze session.driver in astro.config. HTTP Basic und Tokens funktionieren ohne Sitzungen. | يحتاج تسجيل الدخول بنموذج إلى جلسات، لكن هذا الموقع لا يخزنها: ليس لمحوّله تخزين جلسات، أو الخيار session قيمته false. اضبط session.driver في astro.config. يعمل HTTP Basic والرموز دون جلسات.
This setup link is no longer valid: it works once and expires. Restart the server to get a new one, or add an account on the command line: npx astro-jsonapi account add <name> --role administrator | Dieser Link gilt nicht mehr: Er funktioniert nur einmal und läuft ab. Starte den Server neu, um einen neuen zu bekommen, oder lege ein Konto mit der Befehlszeile an: npx astro-jsonapi account add <name> --role administrator | لم يعد رابط الإعداد هذا صالحًا: يعمل مرة واحدة وتنتهي صلاحيته. أعد تشغيل الخادم للحصول على رابط جديد، أو أضف حسابًا من سطر الأوامر: npx astro-jsonapi account add <name> --role administrator
The passwords of this site are part of the settings of its server. Ask the person who runs the server for a new one. | Die Passwörter dieser Website gehören zu den Einstellungen ihres Servers. Bitte die Person, die den Server betreibt, um ein neues. | كلمات مرور هذا الموقع جزء من إعدادات خادمه. اطلب كلمة مرور جديدة من مشغّل الخادم.
This site sends no mail. Ask an administrator: on the page of your account in the admin, under People, they can create a link with which you choose a new password. | Diese Website sendet keine E-Mails. Frage einen Administrator: Auf der Seite deines Kontos in der Verwaltung, unter Personen, kann er einen Link anlegen, mit dem du ein neues Passwort wählst. | لا يرسل هذا الموقع بريدًا. اسأل مسؤولًا: يمكنه في صفحة حسابك في لوحة الإدارة، ضمن المستخدمين، إنشاء رابط تختار به كلمة مرور جديدة.
Your account on {host} | Dein Konto auf {host} | حسابك على {host}
A new password for {host} | Ein neues Passwort für {host} | كلمة مرور جديدة لـ {host}
You are invited to {host}. Your account is “{name}”. Choose a password to sign in: | Du bist zu {host} eingeladen. Dein Konto ist „{name}“. Wähle ein Passwort, um dich anzumelden: | أنت مدعو إلى {host}. حسابك هو «{name}». اختر كلمة مرور لتسجيل الدخول:
This link is for the account “{name}” on {host}. Choose a new password: | Dieser Link ist für das Konto „{name}“ auf {host}. Wähle ein neues Passwort: | هذا الرابط للحساب «{name}» على {host}. اختر كلمة مرور جديدة:
The link works once, for {time}. | Der Link gilt einmal, {time} lang. | يعمل الرابط مرة واحدة، لمدة {time}.
{count} days | {count} Tage | {count} أيام
one hour | eine Stunde | ساعة واحدة
{count} hours | {count} Stunden | {count} ساعة
If you did not ask for it, ignore this mail. Your password stays as it is. | Wenn du ihn nicht angefordert hast, ignoriere diese E-Mail. Dein Passwort bleibt, wie es ist. | إذا لم تطلبه فتجاهل هذه الرسالة. تبقى كلمة مرورك كما هي.
Enter the name or the e-mail address of your account. You get a mail with a link to choose a new password. | Gib den Namen oder die E-Mail-Adresse deines Kontos ein. Du bekommst eine E-Mail mit einem Link, um ein neues Passwort zu wählen. | أدخل اسم حسابك أو بريده الإلكتروني. ستصلك رسالة فيها رابط لاختيار كلمة مرور جديدة.
If an account has this name or address, and an e-mail address, a mail with a link is on its way. The link works for one hour. | Wenn es ein Konto mit diesem Namen oder dieser Adresse gibt und es eine E-Mail-Adresse hat, ist eine E-Mail mit einem Link unterwegs. Der Link gilt eine Stunde. | إذا كان لحساب هذا الاسم أو العنوان، وله بريد إلكتروني، فرسالة فيها رابط في الطريق. يعمل الرابط ساعة واحدة.
`;

const TRANSLATIONS: ReadonlyMap<string, readonly string[]> = new Map(
  TABLE.trim()
    .split('\n')
    .map((line) => line.split(' | '))
    .map(([english = '', ...others]) => [english, others]),
);
