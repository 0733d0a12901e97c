import type { Feature } from '../../core/runtime/site.ts';
import { withAuthors } from './authors-driver.ts';

/** The authors of a Docusaurus blog, which are entries of one file, as entities. */
export const docusaurus: Feature = { name: 'docusaurus', view: withAuthors };
