/** What the file of the prebuilt query `finder` has. See `src/queries.mjs`. */
interface FinderDocument {
  data: {
    id: string;
    attributes: { title: string; minutes: number; ingredients: { item: string }[] };
    relationships: { tags: { data: { id: string }[] } };
  }[];
  included?: { id: string; attributes: { title: string } }[];
}

interface Recipe {
  id: string;
  minutes: number;
  text: string;
}

/** Hides the recipes of the list that do not match the form. Without JavaScript, the list is complete. */
export function startFinder(): void {
  const form = document.querySelector<HTMLFormElement>('.finder');
  const status = document.querySelector('[role=status]');
  const items = [...document.querySelectorAll<HTMLElement>('.found > li')];
  if (!form || !status) return;

  let recipes: Promise<readonly Recipe[]> | undefined;
  const show = async () => {
    recipes ??= load(form.dataset.query ?? '');
    try {
      const found = new Set(matches(await recipes, new FormData(form)));
      for (const item of items) item.hidden = !found.has(item.dataset.id ?? '');
      status.textContent = found.size === 1 ? '1 recipe' : `${found.size} recipes`;
    } catch {
      recipes = undefined;
      status.textContent = 'The recipes could not be loaded. Try again.';
    }
  };
  form.addEventListener('input', show);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.hidden = false;
}

async function load(url: string): Promise<readonly Recipe[]> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} returned ${response.status}.`);
  const { data, included = [] }: FinderDocument = await response.json();
  const tagTitles = new Map(included.map(({ id, attributes }) => [id, attributes.title]));
  return data.map(({ id, attributes: { title, minutes, ingredients }, relationships: { tags } }) => ({
    id,
    minutes,
    text: [title, ...ingredients.map(({ item }) => item), ...tags.data.map((tag) => tagTitles.get(tag.id))]
      .join(' ')
      .toLowerCase(),
  }));
}

/** The ids of recipes that have all words and do not take longer. */
function matches(recipes: readonly Recipe[], form: FormData): string[] {
  const words = String(form.get('words')).toLowerCase().split(/\s+/);
  const limit = Number(form.get('minutes')) || Number.POSITIVE_INFINITY;
  return recipes
    .filter(({ text, minutes }) => minutes <= limit && words.every((word) => text.includes(word)))
    .map(({ id }) => id);
}
