import { beginning, longerThan } from '../../json/utf8.js';
import { isLabel, isLabelValue, isQualifiedName } from '../../api/validation/name-forms.js';
import type { Event } from '../../model/event.js';
import { throwFaults, type OptionRule } from '../../options/check-options.js';
import { aString, isNonEmptyString, mustBe } from '../../options/rules.js';
import type { EventInput, Regarding } from './contract.js';
import { identityOf, referenceTo, type OwnObjects } from './references.js';

/** The rule of an event's type, reason, action and reporting instance: Kubernetes takes no more than 128 bytes. */
export const aWord: OptionRule = /* @__PURE__ */ mustBe(
  (value) => isNonEmptyString(value) && !longerThan(value, 128),
  'a string of 1 to 128 bytes',
);

export interface OccurrenceSettings extends OwnObjects {
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly regarding: Regarding;
  readonly noteInKey: boolean;
}

/** A recorded call: the event without name, time and series. Shares nothing with the caller's input. */
export interface Occurrence {
  readonly event: Event;
  /** Equal for events of one series. */
  readonly key: string;
  /** The object that the event is about, whose rate is limited. */
  readonly source: string;
  /** Roughly the memory that it takes, in bytes. */
  readonly bytes: number;
}

/** The memory of an event without its texts. */
const FIXED_BYTES = 1_000;

/** Checks and copies the input. @throws TypeError that lists every fault */
export function occurrenceOf(input: EventInput, settings: OccurrenceSettings): Occurrence {
  const faults: string[] = [];
  const word = (name: 'type' | 'reason' | 'action', value: unknown): string => {
    faults.push(...aWord(value ?? null, name));
    return value as string;
  };
  const texts = (name: 'labels' | 'annotations', fits: (key: string, value: string) => boolean) => {
    // Functions and arrays need no check of their own: their entries, if any, are checked.
    const entries = Object.entries(input[name] ?? {});
    for (const [key, value] of entries as [string, unknown][]) {
      if (typeof value !== 'string' || !fits(key, value)) faults.push(`${name}: ${JSON.stringify(key)} is not valid`);
    }
    return entries.length > 0 && { [name]: Object.fromEntries(entries) };
  };

  const { reportingController, reportingInstance } = settings;
  const { note } = input;
  faults.push(...aString(note, 'note'));
  const regarding = referenceTo(input.regarding ?? settings.regarding, 'regarding', settings, faults);
  const related = input.related && referenceTo(input.related, 'related', settings, faults);
  // Events about objects without a namespace go to this one, as in client-go.
  const namespace = regarding.namespace ?? 'default';
  if (!isLabel(namespace) || namespace.length > 63) faults.push('regarding.namespace is not valid');
  const event: Event = {
    metadata: {
      namespace,
      ...texts('labels', (key, value) => isQualifiedName(key) && isLabelValue(value)),
      ...texts('annotations', (key) => isQualifiedName(key.toLowerCase())),
    },
    reportingController,
    reportingInstance,
    action: word('action', input.action),
    reason: word('reason', input.reason),
    regarding,
    ...(related && { related }),
    ...(typeof note === 'string' && { note: shorten(note) }),
    type: word('type', input.type ?? 'Normal'),
  };
  throwFaults('recorder.event', faults);

  const { type, action, reason } = event;
  const source = [regarding.apiVersion, regarding.kind, namespace, regarding.name].join('/');
  const inKey = settings.noteInKey && event.note;
  const key = JSON.stringify([type, action, reason, inKey, identityOf(regarding), identityOf(related)]);
  const json = JSON.stringify(event);
  // Parsed again, as a text of the input may be a slice that keeps a long one in memory.
  return { event: JSON.parse(json) as Event, key, source, bytes: FIXED_BYTES + 4 * json.length };
}

const NOTE_BYTES = 1_024;
const MARK = '…';
const MARK_BYTES = 3;

/** Limits a note to `NOTE_BYTES` bytes of UTF-8: a longer one is cut between two characters and ends in `…`. */
function shorten(text: string): string {
  const kept = longerThan(text, NOTE_BYTES) ? beginning(text, NOTE_BYTES - MARK_BYTES) + MARK : text;
  // Strict servers refuse lone surrogates.
  return kept.toWellFormed();
}
