// JSON Schema as rows of a table. Schemas come from strangers, so every member may have any type, and the depth, the
// number of rows and the number of alternatives are bounded.

const ROWS_MAX = 150;
const DEPTH_MAX = 5;
const CHOICES_MAX = 12;

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const entries = (value) => (isObject(value) ? Object.entries(value) : []);
const array = (value) => (Array.isArray(value) ? value : []);
const choices = (schema) => [schema.anyOf, schema.oneOf, schema.allOf].flatMap(array);

/** Resolves a reference inside of a schema. */
function resolve(schema, root) {
  if (!isObject(schema)) return {};
  if (typeof schema.$ref !== "string" || !schema.$ref.startsWith("#/")) return schema;
  const step = (value, part) => (isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined);
  const decoded = (part) => part.replaceAll("~1", "/").replaceAll("~0", "~");
  const target = schema.$ref.slice(2).split("/").map(decoded).reduce(step, root);
  return isObject(target) ? { ...target, ...schema, $ref: target.$ref } : schema;
}

/** Renders the type of a value in a few words. */
function kind(schema, root, depth = 0) {
  const own = resolve(schema, root);
  const alternatives = [own.anyOf, own.oneOf].flatMap(array);
  if (own.const !== undefined) return JSON.stringify(own.const);
  if (Array.isArray(own.enum)) return joined(own.enum.map((value) => JSON.stringify(value)));
  if (alternatives.length && depth < 2) return joined(alternatives.slice(0, CHOICES_MAX + 1).map((one) => kind(one, root, depth + 1)));
  if (own.type === "array" && isObject(own.items) && depth < 2) return `array of ${kind(own.items, root, depth + 1)}`;
  return joined([own.type ?? "any"].flat().map(String));
}

function joined(names) {
  const distinct = [...new Set(names)];
  return distinct.length > CHOICES_MAX ? `${distinct.slice(0, CHOICES_MAX).join(" | ")} | …` : distinct.join(" | ");
}

/** The limits that the table shows, with the words around the value. */
const LIMITS = {
  default: ["default "], minimum: ["at least "], maximum: ["at most "], exclusiveMinimum: ["more than "], exclusiveMaximum: ["less than "],
  minLength: ["at least ", " characters"], maxLength: ["at most ", " characters"], minItems: ["at least ", " items"], maxItems: ["at most ", " items"],
  pattern: ["pattern "], format: ["format "],
};

function limits(schema) {
  const present = Object.entries(LIMITS).filter(([limit]) => schema[limit] !== undefined);
  return present.map(([limit, [before, after = ""]]) => `${before}${JSON.stringify(schema[limit])}${after}`).join(", ");
}

/** Collects a row for each property of a schema, nested ones by path. */
function collect(schema, root, path, depth, rows) {
  if (depth > DEPTH_MAX || rows.length > ROWS_MAX) return;
  const own = resolve(schema, root);
  const required = new Set(array(own.required));
  for (const [name, property] of entries(own.properties)) {
    if (rows.length > ROWS_MAX) return;
    const value = resolve(property, root);
    const at = path ? `${path}.${name}` : name;
    const text = typeof value.description === "string" ? inline(value.description) : "";
    rows.push([code(at), kind(property, root), required.has(name) ? "required" : "", limits(value), text]);
    collect(property, root, at, depth + 1, rows);
  }
  if (own.items) collect(own.items, root, `${path}[]`, depth + 1, rows);
  choices(own).slice(0, CHOICES_MAX).forEach((choice) => collect(choice, root, path, depth + 1, rows));
}

/** Shows the properties of a schema as a table. */
function schemaTable(caption, schema) {
  const rows = [];
  collect(schema, schema, "", 0, rows);
  if (!rows.length) return el("p", {}, "None.");
  const shown = table(caption, ["name", "type", "needed", "limits", "~description"], rows.slice(0, ROWS_MAX));
  return rows.length > ROWS_MAX ? [shown, el("p", { class: "faint" }, `The first ${ROWS_MAX} properties. The schema below has all.`)] : shown;
}
