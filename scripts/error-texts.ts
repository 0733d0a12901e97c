import type { PROBLEM_KINDS } from '../integration/core/content/diagnostics/problem-kinds.ts';
import type { ErrorReason } from '../integration/core/util/errors.ts';

/** What happened, and what to do. In docs/errors.md. */
type Text = readonly [meaning: string, fix: string];

export const REASONS: Readonly<Record<ErrorReason, Text>> = {
  'bad-request': [
    'A parameter, a header or the body is not valid.',
    'Correct what `source` names. `detail` lists the valid values.',
  ],
  unauthenticated: [
    'The request needs an account, or the name or password is wrong.',
    '[Sign in](sign-in.md), or send credentials.',
  ],
  'invalid-token': ['The token is wrong, has expired or was revoked.', 'Create [a new token](accounts.md).'],
  forbidden: ['The account has no permission for this.', 'Ask for [a role](roles.md) that has it.'],
  'insufficient-scope': ['The token may only read.', 'Create a token with the scope `write`.'],
  'not-found': [
    'The address does not exist, or you have no permission to see it.',
    'Check the path. `detail` suggests close names.',
  ],
  'method-not-allowed': [
    'The address does not support this method, or editing is off.',
    'Use a method of the header `Allow`, or turn on [`editing`](options.md#editing).',
  ],
  'not-acceptable': [
    'The client accepts no format that the address has.',
    'Send `Accept: application/vnd.api+json`, or `*/*`.',
  ],
  conflict: [
    'The change does not fit the stored content: the id exists, or other entities refer to the entity.',
    'Read `detail`, and change the request or the other entities.',
  ],
  gone: ['The entity was deleted.', 'Remove links to it.'],
  'precondition-failed': [
    'The content has changed since the revision in `If-Match`.',
    'Read it again, and repeat the change.',
  ],
  'precondition-required': [
    'The site requires `If-Match` for changes.',
    'Send the `ETag` of the entity in [`If-Match`](writing.md#avoid-overwriting-other-changes).',
  ],
  'too-large': ['The body or a file is larger than a limit.', 'Send less, or raise [the limit](limits.md).'],
  'query-too-long': [
    'Path and query are longer than the limit.',
    'Ask for less, or raise [`limits.queryLength`](options.md#limitsquerylength).',
  ],
  'range-not-satisfiable': ['`Range` starts after the end of the file.', 'Use the size in `Content-Range`.'],
  'unsupported-media-type': [
    'The address does not read bodies of this `Content-Type`.',
    'Use the type that `detail` names.',
  ],
  'unsupported-encoding': ['The body is compressed.', 'Send it without `Content-Encoding`.'],
  invalid: ['Values of the entity are not valid.', 'Correct each field that a `source.pointer` names.'],
  'too-many-requests': [
    'The account or the address has sent too many requests.',
    'Wait for the seconds in `Retry-After`.',
  ],
  'client-gone': ['The client closed the connection. Only the request log shows it.', 'Nothing.'],
  internal: ['The server has a fault.', 'Find the `id` of the error in the server log, and report it.'],
  'not-supported': [
    'This server cannot do that, for example because the site has no git history.',
    'Read `detail`.',
  ],
  unavailable: [
    'The server is busy, starting, or cannot write to its disk.',
    'Try again after the seconds in `Retry-After`.',
  ],
  'out-of-space': ['The disk is full.', 'Free some space.'],
};

export const PROBLEMS: Readonly<Record<(typeof PROBLEM_KINDS)[number], Text>> = {
  'alias/duplicate': ['Two entities have the same alias.', 'Change the `path` of one of them.'],
  'alias/invalid': ['An alias is not a path.', 'Write it like `/journal/first`.'],
  'body/image-missing': ['A body shows an image that does not exist.', 'Correct the path, or add the file.'],
  'body/image-not-served': [
    'A body shows an image that is not served, because of its place or a leading `_` or `.`.',
    'Move the image beside the entity or into `public/`.',
  ],
  'body/image-outside': ['A body shows an image outside of the project.', 'Move it into the project.'],
  'body/link-missing': ['A body links to a Markdown file that does not exist.', 'Correct the path.'],
  'body/wiki-links': [
    'Bodies have wiki links such as `[[Note]]`, which Markdown shows as text.',
    'Write `[text](path)`, or add a plugin for them to the Markdown processor of the site.',
  ],
  'bundle/folders': [
    'Two folders become the same bundle.',
    'Rename one, or use option [`bundles`](options.md#bundles).',
  ],
  'bundle/name': [
    'A folder has no letter or digit for a bundle name.',
    'Rename it, or name its bundle with option [`bundles`](options.md#bundles).',
  ],
  'data/duplicate-key': [
    'A key appears twice. In YAML, this is a warning, and the last value counts.',
    'Remove one.',
  ],
  'data/not-a-map': ['The data is a list or a single value.', 'Write `key: value` pairs.'],
  'data/too-deep': ['The data is nested too deeply.', 'Flatten it.'],
  'data/too-large': ['The frontmatter or data file is too large.', 'Move text into the body.'],
  'date/invalid': [
    'A date of a base field cannot be read.',
    'Write it like `2024-01-31` or `2024-01-31T12:00:00+01:00`.',
  ],
  'date/stray': [
    'A value of a field with dates is not a date, or does not exist, such as 31 February.',
    'Correct the value.',
  ],
  'field/case': ['A key differs from a known one only in letter case.', 'Write it as the message says.'],
  'field/clash': ['Two keys set the same field.', 'Keep one.'],
  'field/invalid': [
    'A value does not match the schema.',
    'Correct the value, or [the schema](content-model.md#fields-with-a-schema).',
  ],
  'field/kind': [
    'The schema transforms a value into another kind than its field has.',
    'Declare the field with the type of the result.',
  ],
  'field/option': [
    'Option `bundles.<bundle>.fields` names a field that the bundle does not have.',
    'Correct [the option](options.md#bundlesbundlefields).',
  ],
  'field/required': ['A required field is missing.', 'Add it, or make it optional in the schema.'],
  'field/stray': [
    'An item of a list is a map without values, such as `- ?` or `- name:`, and the others are not. It is ignored.',
    'Put it in quotes if it is text.',
  ],
  'field/unknown': ['The schema does not have this field.', 'Correct the name, or declare the field.'],
  'file/encoding': ['A file is not UTF-8 text.', 'Save it as UTF-8.'],
  'file/ignored': [
    'Files are not content. It is a warning if they are more than the others.',
    'Check option [`contentDir`](options.md#contentdir).',
  ],
  'file/image': [
    'An image cannot be measured, or its name is not that of an image.',
    'Replace it, or declare the field with `file()`.',
  ],
  'file/missing': ['A field names a file that does not exist.', 'Correct the path, or add the file.'],
  'file/not-served': [
    'A field names a file that is not served: content, or a path with a leading `_` or `.`.',
    'Put a copy beside the entity or in `public/`.',
  ],
  'file/outside': [
    'A field names a file outside of the content folder.',
    'Move it there. Only images of the project may be elsewhere.',
  ],
  'file/pixels': ['An image has more pixels than Astro can resize.', 'Use a smaller one.'],
  'file/skipped': ['A file cannot be listed, for example because of its name.', 'Rename it.'],
  'file/too-large': ['A file is larger than the limit.', 'Split it.'],
  'file/unreadable': [
    'The operating system does not let the process read a file.',
    'Change its permissions.',
  ],
  'frontmatter/closing': [
    'The last line of the frontmatter has other characters too.',
    'Close it with a line that is only `---`.',
  ],
  'frontmatter/fence': ['The first line is almost `---`.', 'Write `---`, or `***` for a thematic break.'],
  'frontmatter/language': [
    'The frontmatter is in a language that is not read. The file is skipped.',
    'Use YAML, TOML or JSON.',
  ],
  'frontmatter/line-ends': ['The lines end in bare carriage returns.', 'Save the file with LF or CRLF.'],
  'frontmatter/not-first': [
    'There is text, or an invisible character, before the frontmatter.',
    'Remove it.',
  ],
  'frontmatter/unclosed': ['The frontmatter has no closing line.', 'Add one.'],
  'id/data-file': [
    'A data file has the id of a page beside it. It is skipped.',
    'Rename it if it is an entity.',
  ],
  'id/duplicate': ['Two files of a bundle have the same id.', 'Rename one, or change its `id`.'],
  'id/invalid': [
    'An id is empty, too long, or has characters that addresses cannot have.',
    'Choose another one.',
  ],
  'json/syntax': ['The JSON cannot be parsed.', 'Correct it at the position in the message.'],
  'language/conflict': [
    '`langcode` and the path name different languages.',
    'Remove `langcode`, or move the file.',
  ],
  'language/duplicate': [
    'Two files are the same entity in the same language.',
    'Remove one, or change its language.',
  ],
  'language/missing': ['A translation has no language.', 'Add `langcode`.'],
  'language/no-source': [
    'Information: pages exist in other languages than the default one only. A warning: `translationOf` names an entity that does not exist.',
    'Each is an entity in the language that it has. Correct `translationOf`.',
  ],
  'language/source': ['`translationOf` is not an id.', 'Write the id of the source.'],
  'language/unknown': [
    'The site does not have this language.',
    'Add it to `i18n` in `astro.config`, or correct the file.',
  ],
  'language/untranslated': [
    'A translation sets a field that is not translated.',
    'Set it in the source only.',
  ],
  'reference/dangling': [
    'A reference names an entity that does not exist.',
    'Correct it, or set option [`danglingReferences`](options.md#danglingreferences).',
  ],
  'reference/malformed': ['A value is not a reference.', 'Write an id, or `bundle/id`.'],
  'reference/wrong-target': [
    'A reference names a bundle that its field does not allow.',
    'Refer to an allowed bundle.',
  ],
  'schema/collection': [
    'A content collection is not a bundle, or its schema is not used completely.',
    'The message says what differs, and why.',
  ],
  'schema/no-folder': [
    'The schema has a bundle without content, and its name is close to another one.',
    'Correct the name.',
  ],
  'schema/unknown-target': ['The schema refers to a bundle that does not exist.', 'Correct the name.'],
  'status/mixed': ['`status` is a boolean in some files and a string in others.', 'Use one kind.'],
  'title/ignored': [
    'Files have a `title`, but an option takes the title from another field. Information: a `title` is an object.',
    'Rename the key.',
  ],
  'title/unknown': [
    'The field that an option names as the title does not exist.',
    'Correct option [`bundles`](options.md#bundles).',
  ],
  'toml/syntax': ['The TOML cannot be parsed.', 'Correct it at the position in the message.'],
  'yaml/alias': ['An alias has no anchor before it.', 'Write the value out.'],
  'yaml/merge': ['YAML 1.2 has no merge keys.', 'Write the values out.'],
  'yaml/syntax': ['The YAML cannot be parsed.', 'Correct it at the position in the message.'],
  'yaml/tag': ['A tag has no meaning here. The plain value is used.', 'Remove the tag.'],
  'yaml/too-many-aliases': ['The data has more aliases than the limit.', 'Write the values out.'],
};
