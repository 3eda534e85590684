import type { OptionRule, OptionRules } from '../../options/check-options.js';
import {
  aBoolean,
  anAbortSignal,
  aNonEmptyString,
  aPositiveNumber,
  aString,
  aWholeNumber,
  mustBe,
  oneOf,
} from '../../options/rules.js';
import type {
  CallOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  EventSelection,
  GetOptions,
  ListOptions,
  WatchOptions,
  WriteOptions,
} from '../contract/events-client.js';
import { isWellFormed } from './paths.js';

const aSelector: OptionRule = /* @__PURE__ */ mustBe(isWellFormed, 'a string without lone surrogates');

const callRules: OptionRules<CallOptions> = { signal: anAbortSignal, timeoutMs: aPositiveNumber };

export const selectionRules: OptionRules<EventSelection> = {
  namespace: mustBe((value) => value === null || (isWellFormed(value) && value !== ''), 'a namespace, or null for all'),
  fieldSelector: aSelector,
  labelSelector: aSelector,
};

export const getRules: OptionRules<GetOptions> = { ...callRules, resourceVersion: aString };

export const writeRules: OptionRules<WriteOptions> = {
  ...callRules,
  dryRun: aBoolean,
  fieldManager: aNonEmptyString,
  fieldValidation: oneOf('Ignore', 'Warn', 'Strict'),
};

export const listRules: OptionRules<ListOptions> = {
  ...callRules,
  ...selectionRules,
  // Servers interpret 0 as a list in one piece.
  pageSize: aWholeNumber(1),
  resourceVersion: aString,
  resourceVersionMatch: oneOf('Exact', 'NotOlderThan'),
  order: oneOf('newest-first'),
};

export const deleteRules: OptionRules<DeleteOptions> = {
  ...callRules,
  dryRun: aBoolean,
  uid: aNonEmptyString,
  resourceVersion: aNonEmptyString,
};

export const deleteCollectionRules: OptionRules<DeleteCollectionOptions> = {
  ...callRules,
  ...selectionRules,
  dryRun: aBoolean,
};

export const watchRequestRules: OptionRules<WatchOptions> = {
  ...callRules,
  ...selectionRules,
  resourceVersion: aString,
  allowWatchBookmarks: aBoolean,
  sendInitialEvents: aBoolean,
  timeoutSeconds: aWholeNumber(0),
};
