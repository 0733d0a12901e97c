import { type CropView, cropOf, type ImageCrop, viewOf } from '../model/crop.ts';
import { pathOfFile } from '../model/media.ts';
import { readResource, sendDocument } from './content.ts';
import { type Job, readJob } from './document.ts';

/** The crop of an image by its URI. Throws RequestError. */
export async function readCrop(uri: string): Promise<CropView> {
  const { attributes } = await readResource(pathOf(uri));
  const stored = Object.entries(attributes).filter(([, value]) => value !== null);
  return viewOf(Object.fromEntries(stored) as ImageCrop);
}

/** Returns the job of the commit. Throws RequestError. */
export async function saveCrop(uri: string, view: CropView): Promise<Job | undefined> {
  const data = { type: 'crop', id: uri, attributes: cropOf(view) };
  const { document } = await sendDocument('PATCH', pathOf(uri), { data });
  return readJob(document);
}

function pathOf(uri: string): string {
  return pathOfFile(uri).replace('/_files/', '/_crops/');
}
