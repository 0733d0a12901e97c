import { RequestError } from '../../api/content.ts';
import { type FieldErrors, NO_ERRORS, placeErrors } from '../../model/field-errors.ts';

/** The requests of a form, one at a time, and the errors of the last one by input. */
export class Submission {
  errors = $state.raw<FieldErrors>(NO_ERRORS);
  isSending = $state(false);
  readonly #inputs: readonly { readonly name: string }[];

  constructor(inputs: readonly string[]) {
    this.#inputs = inputs.map((name) => ({ name }));
  }

  /** Handles `submit` of a form: sends its request. Rejects for errors other than RequestError. */
  async send(event: SubmitEvent, request: () => Promise<void>): Promise<void> {
    event.preventDefault();
    if (this.isSending) return;
    this.isSending = true;
    this.errors = NO_ERRORS;
    try {
      await request();
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.errors =
        error.problems.length > 0
          ? placeErrors(error.problems, this.#inputs)
          : { ...NO_ERRORS, others: [error.message] };
    } finally {
      this.isSending = false;
    }
  }
}
