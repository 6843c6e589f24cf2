import type { Endpoint } from '../../../../contracts/endpoint.ts';
import { orElse } from '../../../../errors.ts';
import { jsonResponse } from '../../../../http/responses.ts';
import type { ChatEvent, TokenSpelling } from '../../events.ts';
import type { ChatRequestInput } from '../../request.ts';
import { createFieldMap, promptPlace } from '../field-map.ts';
import { previewPrompt } from '../preview-prompt.ts';
import {
  detokenizationSchema,
  detokenizeRequestSchema,
  tokenizationSchema,
  tokenizeRequestSchema,
  type Tokenization,
  fromDetokenizeRequest,
  tokenizeForeignFields,
  fromTokenizeRequest,
  type DetokenizeCall,
  type TokenizeCall,
} from './bodies.ts';

export const tokenize: Endpoint<TokenizeCall, ChatRequestInput, ChatEvent> = {
  method: 'POST',
  path: '/tokenize',
  operationId: 'tokenize',
  summary: 'Tokenize a text or a conversation for a chat model.',
  requestBody: { name: 'TokenizeRequest', schema: tokenizeRequestSchema, foreign: tokenizeForeignFields },
  responses: { 'application/json': { name: 'Tokenization', schema: tokenizationSchema } },
  errors: ['unsupported_feature'],
  read: fromTokenizeRequest,
  async answer(run, { request, place, hasNames, hasPieces }) {
    const preview = await previewPrompt(run, request, createFieldMap([promptPlace(place)]));
    const { tokens, spellings = [], contextLength } = preview;
    const body: Tokenization = {
      count: tokens.length,
      max_model_len: contextLength,
      tokens: hasPieces
        ? tokens.map((id, index) => ({ id, piece: toPiece(spellings[index]!) }))
        : [...tokens],
      token_strs: hasNames ? spellings.map(({ name }) => name) : null,
    };
    return jsonResponse(200, body);
  },
};

export const detokenize: Endpoint<DetokenizeCall, ChatRequestInput, ChatEvent> = {
  method: 'POST',
  path: '/detokenize',
  operationId: 'detokenize',
  summary: "Convert a chat model's tokens to text.",
  requestBody: { name: 'DetokenizeRequest', schema: detokenizeRequestSchema },
  responses: { 'application/json': { name: 'Detokenization', schema: detokenizationSchema } },
  errors: ['unsupported_feature'],
  read: fromDetokenizeRequest,
  async answer(run, { model, tokens }) {
    const request: ChatRequestInput = { model, messages: [], prompts: [tokens], echo: 'text' };
    const { text } = await previewPrompt(run, request, createFieldMap([promptPlace('tokens')]));
    return jsonResponse(200, { prompt: text, content: text });
  },
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function toPiece({ bytes }: TokenSpelling): string | number[] {
  return orElse(() => utf8.decode(Uint8Array.from(bytes)), [...bytes]);
}
