import type { Texts } from './en.ts';

export const texts: Texts = {
  label: 'بحث',
  searching: 'جارٍ البحث…',
  results: 'عدد النتائج: {n}',
  all: 'كل النتائج ({n})',
  nothing: 'لا توجد نتائج عن «{words}».',
  advice: 'جرّب كلمات أخرى أو كلمات أقل.',
  corrected: 'عُثر أيضًا على:',
  missing: 'لم يُعثر على: {words}',
  failed: 'تعذّر تحميل البحث.',
  retry: 'إعادة المحاولة',
  filter: 'تصفية',
  recent: 'عمليات البحث الأخيرة',
  clear: 'مسح',
};
