import { expect, it } from 'vitest';
import { videoAt } from '../../../admin/src/body-editor/embeds.ts';

it.each([
  ['https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=3', 'YouTube dQw4w9WgXcQ'],
  ['https://youtu.be/dQw4w9WgXcQ?si=x', 'YouTube dQw4w9WgXcQ'],
  ['https://m.youtube.com/shorts/dQw4w9WgXcQ', 'YouTube dQw4w9WgXcQ'],
  ['https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ', 'YouTube dQw4w9WgXcQ'],
  ['https://vimeo.com/76979871', 'Vimeo 76979871'],
  ['https://player.vimeo.com/video/76979871?h=1', 'Vimeo 76979871'],
  ['https://www.youtube.com/feed', undefined],
  ['https://vimeo.com/about', undefined],
  ['https://youtube.com.example.com/watch?v=dQw4w9WgXcQ', undefined],
  ['https://example.com/?https://youtu.be/dQw4w9WgXcQ', undefined],
  ['see https://youtu.be/dQw4w9WgXcQ', undefined],
  ['javascript:https://youtu.be/dQw4w9WgXcQ', undefined],
])('the video of %s is %s', (address, expected) => {
  const video = videoAt(address);
  expect(video && `${video.host} ${video.id}`).toBe(expected);
});
