/** A small chat template that writes calls as a family's own does. */
export interface FamilyTemplate {
  readonly family: string;
  /** Short name of the notation. */
  readonly notation: string;
  /** Models of the family that are known to write so. */
  readonly models: readonly string[];
  /** Jinja of the call `c`. */
  readonly call: string;
  /** Before the first call, between two, and behind the last. Without `between`, there is only one. */
  readonly begin?: string;
  readonly between?: string;
  readonly end?: string;
  /** Words of the prompt by which a format is found that the calls don't show. */
  readonly prompt?: string;
  /** Before a text. */
  readonly text?: string;
  /** End of the prompt, with which the call's text begins. */
  readonly opened?: string;
  /** Whether the template shows no calls, so that a row is needed. */
  readonly isRow?: boolean;
}

const name = '{{ c.function.name }}';
const args = '{{ c.function.arguments | tojson }}';
const json = (key = 'arguments', nameKey = 'name'): string => `{"${nameKey}": "${name}", "${key}": ${args}}`;
const indented = (nameKey = 'name', key = 'arguments'): string =>
  `{\n        "${nameKey}": "${name}",\n        "${key}": ${args}\n    }`;
const indentedList = (open: string, close = '') => ({
  begin: `${open}[\n    `,
  between: ',\n    ',
  end: `\n]${close}`,
});
const each = (member: string): string =>
  `{% for key, value in c.function.arguments|items %}${member}{% endfor %}`;
const value = '{{ value if value is string else value | tojson }}';
const keyed = (suffix: string, gap: string, prefix = ''): string =>
  each(
    `<${prefix}arg_key${suffix}>{{ key }}</${prefix}arg_key${suffix}>${gap}<${prefix}arg_value${suffix}>${value}</${prefix}arg_value${suffix}>${gap}`,
  );
const named = (tag: string, mark = 'parameter', gap = ''): string =>
  each(`<${tag}${mark} name="{{ key }}">${value}</${tag}${mark}>${gap}`);
const coder = `<function=${name}>\n${each(`<parameter={{ key }}>\n${value}\n</parameter>\n`)}</function>`;
/** The same with values beside their tags. */
const tight = coder.replaceAll('>\n{{ value', '>{{ value').replaceAll('}}\n</param', '}}</param');
const python = `${name}(${each(`{{ key }}={{ value | tojson if value is string else value }}{% if not loop.last %}, {% endif %}`)})`;
/** Braces with bare keys and strings between marks. */
const marked = (mark: string): string =>
  `{%- macro show(value) -%}{%- if value is string -%}${mark}{{ value }}${mark}{%- elif value is mapping -%}{{ '{' }}{%- for key, own in value|items -%}{{ key }}:{{ show(own) }}{%- if not loop.last -%},{%- endif -%}{%- endfor -%}{{ '}' }}{%- elif value is iterable -%}[{%- for own in value -%}{{ show(own) }}{%- if not loop.last -%},{%- endif -%}{%- endfor -%}]{%- else -%}{{ value | tojson }}{%- endif -%}{%- endmacro -%}${name}{{ '{' }}${each(`{{ key }}:{{ show(value) }}{% if not loop.last %},{% endif %}`)}{{ '}' }}`;
const list = (open: string, close = '') => ({ begin: `${open}[`, between: ', ', end: `]${close}` });
const v3 = {
  begin: '<｜tool▁calls▁begin｜>',
  call: `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${args}\n\`\`\`<｜tool▁call▁end｜>`,
  between: '\n',
  end: '<｜tool▁calls▁end｜>',
};
const hermes = { call: `<tool_call>\n${json()}\n</tool_call>`, between: '\n' };
const types = `{{ 'string' if value is string else 'boolean' if value is boolean else 'null' if value is none else 'number' if value is number else 'object' if value is mapping else 'array' }}`;
const minimax = ']<]minimax[>[';
const dsml = (section: string) => ({
  begin: `<｜DSML｜${section}>\n`,
  call: `<｜DSML｜invoke name="${name}">\n${each(`<｜DSML｜parameter name="{{ key }}" string="{{ 'true' if value is string else 'false' }}">${value}</｜DSML｜parameter>\n`)}</｜DSML｜invoke>`,
  between: '\n',
  end: `\n</｜DSML｜${section}>`,
});
const invoke = (section: string) => ({
  begin: `<${section}>\n`,
  call: `<invoke name="${name}">\n${named('', 'parameter', '\n')}</invoke>`,
  between: '\n',
  end: `\n</${section}>`,
});

export const familyTemplates: readonly FamilyTemplate[] = [
  {
    family: 'gpt-oss',
    notation: 'harmony',
    models: ['gpt-oss-20b', 'gpt-oss-120b', 'gpt-oss-safeguard'],
    call: `<|start|>assistant<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${args}<|call|>`,
    opened: '<|start|>assistant',
  },
  {
    family: 'DeepSeek V3.2',
    notation: 'deepseek-v3.2',
    models: ['DeepSeek V3.2', 'DeepSeek V3.2 Speciale'],
    ...dsml('function_calls'),
  },
  { family: 'DeepSeek V4', notation: 'deepseek-v4', models: ['DeepSeek V4'], ...dsml('tool_calls') },
  {
    family: 'DeepSeek V3.1',
    notation: 'deepseek-v3.1',
    models: ['DeepSeek V3.1', 'DeepSeek V3.1 Terminus'],
    begin: '<｜tool▁calls▁begin｜>',
    call: `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${args}<｜tool▁call▁end｜>`,
    between: '',
    end: '<｜tool▁calls▁end｜>',
  },
  { family: 'DeepSeek V3', notation: 'deepseek-v3', models: ['DeepSeek V3', 'DeepSeek V3 0324'], ...v3 },
  {
    family: 'DeepSeek R1',
    notation: 'deepseek-v3',
    models: ['DeepSeek R1', 'DeepSeek R1 0528', 'DeepSeek R1 Distill'],
    ...v3,
  },
  {
    family: 'Kimi K2',
    notation: 'kimi-k2',
    models: ['Kimi K2 Instruct', 'Kimi K2 Thinking', 'Kimi K2.5'],
    begin: '<|tool_calls_section_begin|>',
    call: `<|tool_call_begin|>{{ c.id }}<|tool_call_argument_begin|>${args}<|tool_call_end|>`,
    between: '',
    end: '<|tool_calls_section_end|>',
  },
  {
    family: 'Kimi K3',
    notation: 'kimi-k3',
    models: ['Kimi K3'],
    begin: '<|open|>tools<|sep|>',
    call: `<|open|>call tool="${name}" index="{{ index }}"<|sep|>${each(`<|open|>argument key="{{ key }}" type="${types}"<|sep|>${value}<|close|>argument<|sep|>`)}<|close|>call<|sep|>`,
    between: '',
    end: '<|close|>tools<|sep|>',
  },
  {
    family: 'Step 3',
    notation: 'step-3',
    models: ['Step 3'],
    begin: '<｜tool_calls_begin｜>',
    call: `<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="${name}">${named('steptml:')}</steptml:invoke><｜tool_call_end｜>`,
    between: '',
    end: '<｜tool_calls_end｜>',
  },
  {
    family: 'Solar Open',
    notation: 'solar-open',
    models: ['Solar Open 100B'],
    begin: '<|tool_calls|>',
    call: `<|tool_call:begin|>{{ c.id }}<|tool_call:name|>${name}<|tool_call:args|>${args}<|tool_call:end|>`,
    between: '',
    end: '<|calls|>',
  },
  {
    family: 'LongCat',
    notation: 'longcat',
    models: ['LongCat Flash Chat', 'LongCat Flash Thinking'],
    call: `<longcat_tool_call>\n${json()}\n</longcat_tool_call>`,
    between: '',
  },
  {
    family: 'LongCat 2',
    notation: 'longcat-2',
    models: ['LongCat Flash Lite', 'LongCat 2.0'],
    call: `<longcat_tool_call>${name}\n${keyed('', '\n', 'longcat_')}</longcat_tool_call>`,
    between: '\n',
  },
  {
    family: 'MiniMax M3',
    notation: 'minimax-m3',
    models: ['MiniMax M3'],
    begin: `${minimax}<tool_call>\n`,
    call: `${minimax}<invoke name="${name}">${each(`${minimax}<{{ key }}>${value}${minimax}</{{ key }}>`)}${minimax}</invoke>`,
    between: '\n',
    end: `\n${minimax}</tool_call>`,
  },
  {
    family: 'MiniMax',
    notation: 'minimax-m2',
    models: ['MiniMax M2', 'MiniMax M2.1'],
    ...invoke('minimax:tool_call'),
  },
  { family: 'dots', notation: 'dots', models: ['dots.llm'], ...invoke('dots_function_call') },
  {
    family: 'Muse Glimmer',
    notation: 'muse-glimmer',
    models: ['Muse Glimmer'],
    call: `<|start|>assistant to=${name}<|message|><atem:function_calls>\n<atem:invoke name="${name}">\n${named('atem:', 'parameter', '\n')}</atem:invoke>\n</atem:function_calls>`,
    between: '<|eom|>',
    opened: '<|start|>assistant',
  },
  {
    family: 'K2 Horizon',
    notation: 'k2-horizon',
    models: ['K2-Horizon'],
    begin: '<ifm|tool_calls>\n',
    call: `<ifm|tool_call>${name}\n${each(`<ifm|arg_key>{{ key }}</ifm|arg_key>\n<ifm|arg_value>${value}</ifm|arg_value>\n`)}</ifm|tool_call>`,
    between: '\n',
    end: '\n</ifm|tool_calls>',
  },
  {
    family: 'K2 Horizon with types',
    notation: 'k2-horizon-types',
    models: ['K2-Horizon'],
    begin: '<ifm|tool_calls>\n',
    call: `<ifm|tool_call>${name}\n${each(`<ifm|arg_key>{{ key }}</ifm|arg_key>\n<ifm|arg_type>${types}</ifm|arg_type>\n<ifm|arg_value>${value}</ifm|arg_value>\n`)}</ifm|tool_call>`,
    between: '\n',
    end: '\n</ifm|tool_calls>',
  },
  {
    family: 'Inkling',
    notation: 'inkling',
    models: ['Inkling', 'Inkling Small'],
    call: `<|message_model|>${name}<|content_invoke_tool_json|>{"name":"${name}","args":${args}}<|end_message|>`,
    between: '',
    end: '<|content_model_end_sampling|>',
  },
  ...(
    [
      ['Hy3', 'hy-3', 'Hy3', ':opensource', '<tool_sep:opensource>\n'],
      ['Hy3 preview', 'hy-3-preview', 'Hy3-preview', '', '<tool_sep>\n'],
      ['Hy4 preview', 'hy-4', 'Hy4-preview', ':6124c78e', ''],
    ] as const
  ).map(([family, notation, model, suffix, separator]) => ({
    family,
    notation,
    models: [model],
    begin: `<tool_calls${suffix}>\n`,
    call: `<tool_call${suffix}>${name}${separator}${keyed(suffix, separator === '' ? '' : '\n')}</tool_call${suffix}>`,
    between: '\n',
    end: `\n</tool_calls${suffix}>`,
  })),
  {
    family: 'GLM',
    notation: 'glm-4.5',
    models: ['GLM-4.5', 'GLM-4.5-Air', 'GLM-4.6', 'GLM-4.7'],
    call: `<tool_call>${name}\n${keyed('', '\n')}</tool_call>`,
    between: '\n',
  },
  ...(
    [
      ['Qwen3-Coder', ['Qwen3-Coder', 'Qwen3-Coder-Next', 'Qwen3.5']],
      ['Nemotron 3', ['Nemotron 3 Nano']],
      ['Step 3.5', ['Step 3.5 Flash']],
    ] as const
  ).map(([family, models]) => ({
    family,
    notation: 'qwen3-coder',
    models,
    call: `<tool_call>\n${coder}\n</tool_call>`,
    between: '\n',
  })),
  {
    family: 'MiMo V2',
    notation: 'mimo-v2',
    models: ['MiMo V2 Flash'],
    call: `<tool_call>\n${tight}\n</tool_call>`,
    between: '\n',
  },
  {
    family: 'Seed-OSS',
    notation: 'seed-oss',
    models: ['Seed-OSS 36B'],
    call: `<seed:tool_call>\n${tight.replace('value | tojson', 'value')}\n</seed:tool_call>`,
    between: '\n',
  },
  {
    family: 'Functionary v3.1',
    notation: 'functionary-v3.1',
    models: ['Functionary Small v3.1', 'Functionary Medium v3.1'],
    call: `<function=${name}>${args}</function>`,
    between: '',
  },
  {
    family: 'Functionary v3.2',
    notation: 'functionary-v3.2',
    models: ['Functionary Small v3.2', 'Functionary Medium v3.2'],
    call: `>>>${name}\n${args}`,
    between: '',
    text: '>>>all\n',
    opened: '>>>',
  },
  {
    family: 'Command',
    notation: 'command-r',
    models: ['Command R7B', 'Command A', 'Command A+'],
    begin: '<|START_ACTION|>[\n    ',
    call: `{"tool_call_id": "{{ index0 }}", "tool_name": "${name}", "parameters": ${args}}`,
    between: ',\n    ',
    end: '\n]<|END_ACTION|>',
  },
  {
    family: 'Command R',
    notation: 'command-r-plus',
    models: ['Command R', 'Command R+'],
    ...indentedList('Action: ```json\n', '\n```'),
    call: indented('tool_name', 'parameters'),
  },
  {
    family: 'Mistral 3',
    notation: 'mistral-named',
    models: ['Mistral Small 3.2', 'Magistral', 'Devstral', 'Ministral 3'],
    call: `[TOOL_CALLS]${name}[ARGS]${args}`,
    between: '',
  },
  {
    family: 'Mistral',
    notation: 'mistral',
    models: ['Mistral 7B v0.3', 'Mixtral 8x22B', 'Mistral Nemo', 'Mistral Large 2'],
    ...list('[TOOL_CALLS]'),
    call: json(),
  },
  {
    family: 'Nemotron',
    notation: 'nemotron',
    models: ['Nemotron Nano 9B v2', 'Llama-3.1-Nemotron-Nano', 'Llama-3.3-Nemotron-Super'],
    ...list('<TOOLCALL>', '</TOOLCALL>'),
    call: json(),
  },
  {
    family: 'Gemma 4',
    notation: 'gemma-4',
    models: ['Gemma 4'],
    call: `<|tool_call>call:${marked('<|"|>')}<tool_call|>`,
    between: '',
  },
  {
    family: 'FunctionGemma',
    notation: 'function-gemma',
    models: ['FunctionGemma 270M'],
    call: `<start_function_call>call:${marked('<escape>')}<end_function_call>`,
    between: '',
  },
  {
    family: 'Gemma 2 and 3',
    notation: 'gemma-code',
    models: ['Gemma 2', 'Gemma 3'],
    begin: '```tool_code\n',
    call: python,
    between: '\n',
    end: '\n```',
    isRow: true,
  },
  {
    family: 'MiniCPM3',
    notation: 'minicpm-3',
    models: ['MiniCPM3 4B'],
    begin: '<|tool_call_start|>\n```python\n',
    call: python,
    between: '\n',
    end: '\n```\n<|tool_call_end|>',
  },
  {
    family: 'LFM2',
    notation: 'lfm2',
    models: ['LFM2 1.2B', 'LFM2 2.6B', 'LFM2 8B-A1B', 'LFM2.5'],
    ...list('<|tool_call_start|>', '<|tool_call_end|>'),
    call: python,
    isRow: true,
  },
  {
    family: 'MiniCPM 5',
    notation: 'minicpm-5',
    models: ['MiniCPM 5'],
    call: `<function name="${name}">${named('', 'param')}</function>`,
    between: '\n',
  },
  {
    family: 'Apertus',
    notation: 'apertus',
    models: ['Apertus 8B', 'Apertus 70B'],
    ...list('<|tools_prefix|>', '<|tools_suffix|>'),
    call: `{"${name}": ${args}}`,
  },
  {
    family: 'InternLM',
    notation: 'internlm',
    models: ['InternLM 2', 'InternLM 2.5', 'InternLM 3'],
    call: `<|action_start|><|plugin|>\n${json('parameters')}<|action_end|>`,
  },
  {
    family: 'GigaChat 3',
    notation: 'gigachat-3',
    models: ['GigaChat 3'],
    call: `<|message_sep|>\n\nfunction call<|role_sep|>\n${json()}`,
  },
  {
    family: 'GigaChat 3.1',
    notation: 'gigachat-3.1',
    models: ['GigaChat 3.1'],
    call: `<|function_call|>${json()}`,
  },
  {
    family: 'OLMo 3',
    notation: 'olmo-3',
    models: ['OLMo 3 7B', 'OLMo 3 32B'],
    begin: '<function_calls>',
    call: python,
    between: '\n',
    end: '</function_calls>',
    isRow: true,
  },
  {
    family: 'Phi-4',
    notation: 'functools',
    models: ['Phi-4-mini-instruct', 'Phi-4-multimodal-instruct'],
    ...list('<|tool_call|>', '<|/tool_call|>'),
    call: json(),
  },
  ...(
    [
      ['Hermes', ['Hermes 2 Pro', 'Hermes 3', 'Hermes 4']],
      ['Qwen', ['Qwen2.5', 'QwQ', 'Qwen3']],
      ['Granite 4', ['Granite 4.0 Micro', 'Granite 4.0 Tiny', 'Granite 4.0 Small']],
      ['SmolLM3', ['SmolLM3 3B']],
      ['ERNIE 4.5', ['ERNIE 4.5 21B-A3B Thinking']],
      ['MiMo', ['MiMo 7B', 'MiMo VL']],
      ['Trinity', ['Trinity Nano', 'Trinity Mini']],
    ] as const
  ).map(([family, models]) => ({ family, notation: 'hermes', models, ...hermes })),
  {
    family: 'Hunyuan',
    notation: 'hunyuan',
    models: ['Hunyuan A13B'],
    ...list('<tool_calls>', '</tool_calls>'),
    call: json(),
  },
  {
    family: 'Apriel',
    notation: 'hunyuan',
    models: ['Apriel 1.5 15B Thinker', 'Apriel 1.6 15B Thinker'],
    ...list('<tool_calls>', '</tool_calls>'),
    call: json(),
  },
  {
    family: 'Jamba',
    notation: 'jamba',
    models: ['Jamba 1.5', 'Jamba 1.6', 'Jamba 1.7'],
    ...indentedList('<tool_calls>', '</tool_calls>'),
    call: indented(),
  },
  {
    family: 'MiniMax M1',
    notation: 'minimax-m1',
    models: ['MiniMax M1'],
    begin: '<tool_calls>\n',
    call: json(),
    between: '\n',
    end: '\n</tool_calls>',
  },
  {
    family: 'Granite 20B',
    notation: 'granite-20b-fc',
    models: ['Granite 20B Function Calling'],
    call: `<function_call> ${json()}`,
    between: '\n',
  },
  {
    family: 'Granite 3',
    notation: 'granite-3',
    models: ['Granite 3.0', 'Granite 3.1', 'Granite 3.2', 'Granite 3.3'],
    ...list('<|tool_call|>'),
    call: json(),
    prompt: '<|start_of_role|>system',
    isRow: true,
  },
  {
    family: 'FireFunction',
    notation: 'functools',
    models: ['FireFunction v2'],
    ...list(' functools'),
    call: json(),
  },
  {
    family: 'xLAM',
    notation: 'xlam',
    models: ['xLAM 1', 'xLAM 2'],
    ...list(''),
    call: json(),
    prompt: 'Write all calls as a single JSON array.',
    isRow: true,
  },
  {
    family: 'Hammer',
    notation: 'xlam',
    models: ['Hammer 2.0', 'Hammer 2.1'],
    ...list('```\n', '\n```'),
    call: json(),
    prompt: 'Where no function fits, directly output an empty list.',
    isRow: true,
  },
  ...(
    [
      ['Llama 4', ['Llama 4 Scout', 'Llama 4 Maverick']],
      ['ToolACE', ['ToolACE 8B', 'ToolACE 2 8B']],
    ] as const
  ).map(([family, models]) => ({
    family,
    notation: 'pythonic',
    models,
    ...list(''),
    call: python,
    prompt: 'Write calls as [func_name1(name=value)].',
    isRow: true,
  })),
  {
    family: 'Llama 3',
    notation: 'llama-3',
    models: ['Llama 3.1', 'Llama 3.2', 'Llama 3.3'],
    call: json('parameters'),
    prompt: 'Write {"name": name, "parameters": dictionary}.',
    isRow: true,
  },
];

/** The Jinja of a family's template. */
export function jinjaOf(own: FamilyTemplate): string {
  const { call, begin = '', between, end = '', prompt = '', text = '', opened = '' } = own;
  const single =
    between === undefined
      ? "{% if m.tool_calls | length > 1 %}{{ raise_exception('One call') }}{% endif %}"
      : '';
  // A line break before a tag of Jinja would be lost.
  const plain = (edge: string): string => (edge === '' ? '' : `{{ ${JSON.stringify(edge)} }}`);
  const calls = `{% if m.tool_calls %}${single}${plain(begin)}{% for c in m.tool_calls %}{% set index0 = loop.index0 %}{% set index = loop.index %}${call}{% if not loop.last %}${plain(between ?? '')}{% endif %}{% endfor %}${plain(end)}{% endif %}`;
  const turn = `«{{ m.role }}»{% if m.content %}{% if m.role == 'assistant' %}${text}{% endif %}{{ m.content }}{% endif %}${calls}«end»`;
  return `${prompt}{% for t in tools or [] %}{{ t | tojson }}{% endfor %}{% for m in messages %}${turn}{% endfor %}{% if add_generation_prompt %}«assistant»${opened}{% endif %}`;
}
