import { describe, expect, it, vi } from 'vitest';
import { createRenderingProcess } from '../../../integration/render/renderer-process.ts';

describe('a renderer in a process that cannot be started', () => {
  it('renders in this process, and says so once', async () => {
    const warn = vi.fn();
    const inProcess = vi.fn(async () => ({ render: async (text: string) => ({ code: `<p>${text}</p>` }) }));
    const entry = 'data:text/javascript,';
    const renderer = createRenderingProcess({ entry, inProcess, warn });
    const options = { frontmatter: {} };
    expect(await renderer.render('one', options)).toEqual({ code: '<p>one</p>' });
    expect(await renderer.render('two', options)).toEqual({ code: '<p>two</p>' });
    expect(inProcess).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]?.[0]).toContain('rendered in the process of the server, without limits');
  });
});
