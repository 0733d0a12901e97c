import {
  type DescribeRoutes,
  documentOf,
  pathParameter,
  READING_ERRORS,
  ref,
  STORED,
} from '../../core/api/description.ts';
import { array, object, orNull, TEXT } from '../../core/api/json-schema.ts';

/** What OpenAPI says about the crops of images. */
export const describeImages: DescribeRoutes = () => ({
  crop: {
    tag: { name: 'files' },
    operations: {
      GET: {
        texts: ['get-crop', 'Get the crop, the focus and the rotation of one image'],
        parameters: [FILE_PATH],
        schema: documentOf(CROP),
        errors: READING_ERRORS,
      },
      PATCH: {
        texts: ['change-crop', 'Crop or turn one image. Its file stays as it is'],
        parameters: [FILE_PATH],
        body: object({ data: object(CROP_CHANGE) }),
        status: 204,
        schema: null,
        refusals: STORED,
      },
    },
  },
});

const FILE_PATH = pathParameter(
  'path',
  '`content/` or `public/`, and the path in that folder. Slashes in it are not encoded.',
  { ...TEXT, minLength: 1 },
);
const FRACTION = { type: 'number', minimum: 0, maximum: 1 };
const CROP_ATTRIBUTES = {
  crop: {
    ...orNull(object({ x: FRACTION, y: FRACTION, width: FRACTION, height: FRACTION })),
    description: 'The part that is shown, in fractions of the image.',
  },
  focus: {
    ...orNull(object({ x: FRACTION, y: FRACTION })),
    description: 'The point that stays visible, in fractions of the image.',
  },
  rotation: {
    enum: [0, 90, 180, 270, null],
    description: 'Degrees by which the cropped image is turned, clockwise.',
  },
};
const CROP_ID = { type: { const: 'crop' }, id: { ...TEXT, description: 'The URI of the image.' } };
const CROP = object({
  ...CROP_ID,
  attributes: object(CROP_ATTRIBUTES),
  meta: object({ problems: { ...array(TEXT), description: 'Why the file with the crop is not used.' } }),
  links: ref('links'),
});
const CROP_CHANGE = { ...CROP_ID, attributes: { type: 'object', properties: CROP_ATTRIBUTES } };
