import type { WriteRequest } from '../../core/api/request.ts';
import type { OpenedFeature, Site } from '../../core/runtime/site.ts';
import { withJobs } from '../../core/server/jobs.ts';
import type { ContentWriter } from '../../core/write/writer.ts';
import type { FileCommands } from './file-commands.ts';
import { addFile, changeFile, listFiles, showFile } from './files.ts';
import { createMoveFiles } from './move-files.ts';
import { storeBody, upload } from './store-body.ts';
import { createStoredFiles } from './stored-files.ts';
import { createUpload } from './upload.ts';
import { createUploadLimits, type UploadLimits } from './upload-limits.ts';

export function openUploads({ options, now = Date.now }: Site): OpenedFeature {
  const commandsOf = createFileCommands(createUploadLimits(options.limits, now));
  const commands = ({ writer }: WriteRequest) => commandsOf(writer);
  return {
    handlers: {
      files: { answer: listFiles, write: withJobs((request) => addFile(request, commands(request))) },
      file: { answer: showFile, write: withJobs((request) => changeFile(request, commands(request))) },
    },
    uploads: {
      upload: (request, ...target) => upload(request, commands(request), ...target),
      storeBody: (request, ...target) => storeBody(request, commands(request), ...target),
    },
  };
}

/** The commands of a writer, within the limits of each account. */
function createFileCommands(limits: UploadLimits): (writer: ContentWriter) => FileCommands {
  return (writer) => ({
    upload: (by, target, file, when) =>
      writer.run(by, (steps) =>
        limits.withUnused(by, file, steps.deps.store, () =>
          createUpload(steps).upload(by, target, file, when),
        ),
      ),
    storeFile: (by, target, file) =>
      writer.run(by, (steps) =>
        limits.withUnused(by, file, steps.deps.store, () => createUpload(steps).storeFile(by, target, file)),
      ),
    replaceFile: (by, key, bytes, when) =>
      writer.run(by, (steps) =>
        limits.withBytes(by, bytes, () => createStoredFiles(steps).replaceFile(by, key, bytes, when)),
      ),
    moveFiles: (by, moves, when) =>
      writer.run(by, (steps) => createMoveFiles(steps).moveFiles(by, moves, when)),
    removeFile: (by, key, when) =>
      writer.run(by, (steps) => createStoredFiles(steps).removeFile(by, key, when)),
  });
}
