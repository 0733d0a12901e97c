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

const TOLERANCE = 10 ** -DECIMALS;

function fraction(least: number) {
  const error = `Expected a number from ${least} to 1, a part of the width or height.`;
  return z.number({ error }).overwrite(rounded).min(least, { error }).max(1, { error });
}

const [place, length] = [fraction(0), fraction(TOLERANCE)];
const crop = strict({ x: place, y: place, width: length, height: length }).refine(
  ({ x, y, width, height }) => x + width <= 1 + TOLERANCE && y + height <= 1 + TOLERANCE,
  { error: 'The crop is larger than the image.' },
);
const focus = strict({ x: place, y: place });
const rotation = z.literal(ROTATIONS, { error: 'Expected 0, 90, 180 or 270: degrees, clockwise.' });

/** The data of a file. */
export const cropSchema = strict({
  crop: crop.optional(),
  focus: focus.optional(),
  rotation: rotation.optional(),
});

/** The same in a request, in which null removes a value. */
export const cropChanges = strict({
  crop: crop.nullish(),
  focus: focus.nullish(),
  rotation: rotation.nullish(),
});

function strict<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape).map((name) => `\`${name}\``);
  const known = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? `This key is not known. There are ${known}.` : `Expected ${known}.`,
  });
}

/** Each fault of a value: its path and the message. */
export function cropFaults(error: z.ZodError | undefined): readonly CropFault[] {
  return (error?.issues ?? []).flatMap((issue) => {
    const { path, message } = issue;
    const steps = path.filter((step) => typeof step !== 'symbol');
    return issue.code === 'unrecognized_keys'
      ? issue.keys.map((key): CropFault => ({ steps: [...steps, key], message, part: 'key' }))
      : [{ steps, message, part: 'value' }];
  });
}

export interface CropFault {
  readonly steps: readonly (string | number)[];
  readonly message: string;
  readonly part: 'key' | 'value';
}

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
  const issues = cropFaults(error).map(({ steps, message, part }) => {
    const name = steps.length === 0 ? 'The file' : `\`${steps.join('.')}\``;
    return problem('warning', 'image/crop', `${name}: ${message}`, HINT, locate(steps, part));
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
  for (const [name, value] of Object.entries(before)) {
    if (!cropSchema.safeParse({ [name]: value }).success) edits.set(name, undefined);
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
  return value === null || value === 0 ? undefined : (value as Raw | undefined);
}

function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS));
}
