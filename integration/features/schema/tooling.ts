import type { FeatureTooling } from '../../core/runtime/site.ts';
import { schema } from './command.ts';

export const tooling: FeatureTooling = { commands: [schema] };
