import Box from '@lucide/svelte/icons/box';
import Calendar from '@lucide/svelte/icons/calendar';
import Chart from '@lucide/svelte/icons/chart-column';
import Code from '@lucide/svelte/icons/code';
import Columns from '@lucide/svelte/icons/columns-2';
import File from '@lucide/svelte/icons/file';
import Heading from '@lucide/svelte/icons/heading';
import Image from '@lucide/svelte/icons/image';
import Images from '@lucide/svelte/icons/images';
import Info from '@lucide/svelte/icons/info';
import Grid from '@lucide/svelte/icons/layout-grid';
import Link from '@lucide/svelte/icons/link';
import List from '@lucide/svelte/icons/list';
import Mail from '@lucide/svelte/icons/mail';
import Pin from '@lucide/svelte/icons/map-pin';
import Megaphone from '@lucide/svelte/icons/megaphone';
import Minus from '@lucide/svelte/icons/minus';
import Music from '@lucide/svelte/icons/music';
import Phone from '@lucide/svelte/icons/phone';
import Quote from '@lucide/svelte/icons/quote';
import Star from '@lucide/svelte/icons/star';
import Table from '@lucide/svelte/icons/table';
import Type from '@lucide/svelte/icons/type';
import User from '@lucide/svelte/icons/user';
import Users from '@lucide/svelte/icons/users';
import Video from '@lucide/svelte/icons/video';

/** Icons that variants can name. Another name is shown as it is, such as an emoji. */
export const ICONS = {
  box: Box,
  calendar: Calendar,
  chart: Chart,
  code: Code,
  columns: Columns,
  file: File,
  heading: Heading,
  image: Image,
  images: Images,
  info: Info,
  grid: Grid,
  link: Link,
  list: List,
  mail: Mail,
  pin: Pin,
  megaphone: Megaphone,
  line: Minus,
  music: Music,
  phone: Phone,
  quote: Quote,
  star: Star,
  table: Table,
  text: Type,
  user: User,
  users: Users,
  video: Video,
} as const;

export function iconNamed(name: string) {
  return Object.hasOwn(ICONS, name) ? ICONS[name as keyof typeof ICONS] : undefined;
}
