import { z } from 'zod';
import { emptyMap } from '../../core/source/data.ts';
import { type Diagnostic, isError, problem } from '../../core/source/diagnostic.ts';
import { editData, readRaw } from '../../core/source/edit/edit-data.ts';
import { layoutOf } from '../../core/source/edit/layout.ts';
import type { Raw } from '../../core/source/edit/raw.ts';
import { createLocator, readData } from '../../core/source/read-data.ts';
import type { JsonObject } from '../../core/util/json.ts';
import { decodeUtf8 } from '../../core/util/text.ts';
import { type ImageCrop, MAX_CROP_BYTES, ROTATIONS } from './crop.ts';

/** Fractions are stored with this precision: a tenth of a pixel in an image with 1,000. */
const DECIMALS = 4;

const fraction = z.number().min(0).max(1);
const length = z.number().gt(0).max(1);
const TOLERANCE = 10 ** -DECIMALS;

const crop = z
  .object({ x: fraction, y: fraction, width: length, height: length })
  .refine(({ x, y, width, height }) => x + width <= 1 + TOLERANCE && y + height <= 1 + TOLERANCE, {
    error: 'The crop is larger than the image.',
  });
const focus = z.object({ x: fraction, y: fraction });
const rotation = z.union(ROTATIONS.map((each) => z.literal(each)));

/** The data of a file. Other keys stay as they are. */
export const cropSchema = z.object({
  crop: crop.optional(),
  focus: focus.optional(),
  rotation: rotation.optional(),
});

/** The same in a request, in which null removes a value. */
export const cropChanges = z.object({
  crop: crop.nullish(),
  focus: focus.nullish(),
  rotation: rotation.nullish(),
});

export interface CropFile {
  readonly crop: ImageCrop;
  readonly problems: readonly Diagnostic[];
}

/** Reads a file. With problems, the image is shown as it is. */
export function parseCrop(bytes: Uint8Array, key: string): CropFile {
  const refuse = (message: string, position?: Parameters<typeof problem>[4]): CropFile => {
    const found = problem('warning', 'image/crop', message, HINT, position);
    return { crop: {}, problems: [{ ...found, key }] };
  };
  if (bytes.byteLength > MAX_CROP_BYTES) return refuse(`The file has more than ${MAX_CROP_BYTES} bytes.`);
  const text = decodeUtf8(bytes);
  if (text === undefined) return refuse('The file is not UTF-8.');
  const { data, problems } = readData(text, 'json');
  const fault = problems.find(isError);
  if (fault !== undefined) return refuse(fault.message, fault);
  const { data: shown, error } = cropSchema.safeParse(data);
  if (shown !== undefined) return { crop: shown, problems: [] };
  const locate = createLocator(text, 'json');
  const issues = error.issues.map(({ path, message }) => {
    const steps = path.filter((step) => typeof step !== 'symbol');
    const name = steps.length === 0 ? 'The file' : `\`${steps.join('.')}\``;
    return problem('warning', 'image/crop', `${name}: ${message}`, HINT, locate(steps, 'value'));
  });
  return { crop: {}, problems: issues.map((each) => ({ ...each, key })) };
}

const HINT =
  'The image is shown as it is. Correct the file, delete it, or crop the image again in the admin.';

/**
 * The text of a file after a change; undefined if nothing is left in it. Values that cannot be used are removed, and a file
 * that cannot be read is replaced.
 */
export function editCrop(
  bytes: Uint8Array | undefined,
  changes: z.infer<typeof cropChanges>,
): string | undefined {
  const isRead = bytes !== undefined && bytes.byteLength <= MAX_CROP_BYTES;
  const text = (isRead ? decodeUtf8(bytes) : undefined) ?? '';
  const before = readRaw(text, 'json') ?? emptyMap<Raw>();
  const edits = new Map<string, Raw | undefined>();
  for (const [name, schema] of Object.entries(cropSchema.shape)) {
    if (!schema.safeParse(before[name]).success) edits.set(name, undefined);
  }
  for (const [name, value] of Object.entries(changes)) edits.set(name, rawOf(value));
  const after = { ...before, ...Object.fromEntries(edits) };
  if (Object.values(after).every((value) => value === undefined)) return undefined;
  const isEdited = Object.keys(before).length > 0;
  const source = { text, language: 'json', layout: layoutOf(text) } as const;
  const edited = isEdited ? editData(source, before, edits, () => undefined) : undefined;
  return edited ?? `${JSON.stringify(after, undefined, 2)}\n`;
}

/** A whole turn, and null, are not stored. */
function rawOf(value: JsonObject | number | null | undefined): Raw | undefined {
  if (value === null || value === undefined || value === 0) return undefined;
  if (typeof value === 'number') return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, rounded(Number(part))]));
}

function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS));
}
