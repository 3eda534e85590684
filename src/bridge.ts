export { bodyAborted, bodyTooLarge, isBodyError, type BodyError } from './http/body.js';
export type { ApiHandler } from './http/handler.js';
export type { ApiRequest, BodyCall, PeerCertificate, RequestHeaders } from './http/request.js';
export type { ApiResponse, ResponseHeaders } from './http/response.js';
export type { AbortReason } from './bridge/exchange/abort-reason.js';
export type { AbortCode } from './model/abort-code.js';
