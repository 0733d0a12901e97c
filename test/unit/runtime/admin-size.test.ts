import { describe, expect, test } from 'vitest';
import { adminSizes } from '../../admin-size.ts';

const KILOBYTE = 1000;

describe('the built admin', () => {
  const { screens, bodyEditor } = adminSizes();

  test('loads at most 200 kB for a screen', () => {
    expect(screens.size).toBeGreaterThan(3);
    for (const [screen, size] of screens) {
      expect({ screen, size }).toEqual({
        screen,
        size: expect.toSatisfy((bytes) => bytes <= 200 * KILOBYTE),
      });
    }
  });
  test('loads at most 150 kB more for the editor of bodies', () => {
    expect(bodyEditor).toBeLessThanOrEqual(150 * KILOBYTE);
  });
});
