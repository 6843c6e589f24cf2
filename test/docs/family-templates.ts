/** A small chat template that writes calls as a family's own does. */
export interface FamilyTemplate {
  readonly family: string;
  /** Jinja of the turn that calls `c`, the first of the calls. */
  readonly call: string;
  /** Words of the prompt by which a format without markers is found. */
  readonly prompt?: string;
  /** End of the prompt, with which the call's text begins. */
  readonly opened?: string;
}

const name = '{{ c.function.name }}';
const args = '{{ c.function.arguments | tojson }}';
const json = (key = 'arguments', nameKey = 'name'): string => `{"${nameKey}": "${name}", "${key}": ${args}}`;
const indented = (nameKey = 'name', key = 'arguments'): string =>
  `[\n    {\n        "${nameKey}": "${name}",\n        "${key}": ${args}\n    }\n]`;
const each = (member: string): string =>
  `{% for key, value in c.function.arguments|items %}${member}{% endfor %}`;
const value = '{{ value if value is string else value | tojson }}';
const keyed = (suffix: string, gap: string): string =>
  each(
    `<arg_key${suffix}>{{ key }}</arg_key${suffix}>${gap}<arg_value${suffix}>${value}</arg_value${suffix}>${gap}`,
  );
const named = (tag: string, mark = 'parameter', gap = ''): string =>
  each(`<${tag}${mark} name="{{ key }}">${value}</${tag}${mark}>${gap}`);
const hermes = `<tool_call>\n${json()}\n</tool_call>`;
const coder = (open: string, close: string): string =>
  `${open}\n<function=${name}>\n${each(`<parameter={{ key }}>\n${value}\n</parameter>\n`)}</function>\n${close}`;
const python = (quote: string): string =>
  `${name}(${each(`{{ key }}=${quote}{{ value }}${quote}{% if not loop.last %}, {% endif %}`)})`;
const braced = (quote: string): string =>
  `{{ '{' }}${each(`{{ key }}:${quote}{{ value }}${quote}{% if not loop.last %},{% endif %}`)}{{ '}' }}`;
const deepseek = (call: string): string =>
  `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>${call}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`;
const v3 = deepseek(`function<｜tool▁sep｜>${name}\n\`\`\`json\n${args}\n\`\`\``);
const mark = ']<]minimax[>[';

export const familyTemplates: readonly FamilyTemplate[] = [
  {
    family: 'gpt-oss',
    call: `<|start|>assistant<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${args}<|call|>`,
    opened: '<|start|>assistant',
  },
  {
    family: 'DeepSeek V3.2',
    call: `<｜DSML｜function_calls>\n<｜DSML｜invoke name="${name}">\n${each(`<｜DSML｜parameter name="{{ key }}" string="{{ 'true' if value is string else 'false' }}">${value}</｜DSML｜parameter>\n`)}</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
  },
  { family: 'DeepSeek V3.1', call: deepseek(`${name}<｜tool▁sep｜>${args}`) },
  { family: 'DeepSeek V3', call: v3 },
  { family: 'DeepSeek R1', call: v3 },
  {
    family: 'Kimi K2',
    call: `<|tool_calls_section_begin|><|tool_call_begin|>functions.${name}:0<|tool_call_argument_begin|>${args}<|tool_call_end|><|tool_calls_section_end|>`,
  },
  {
    family: 'Kimi K3',
    call: `<|open|>tools<|sep|><|open|>call tool="${name}" index="1"<|sep|>${each(`<|open|>argument key="{{ key }}" type="string"<|sep|>${value}<|close|>argument<|sep|>`)}<|close|>call<|sep|><|close|>tools<|sep|>`,
  },
  {
    family: 'Step 3',
    call: `<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="${name}">${named('steptml:')}</steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>`,
  },
  {
    family: 'Solar Open',
    call: `<|tool_calls|><|tool_call:begin|>0<|tool_call:name|>${name}<|tool_call:args|>${args}<|tool_call:end|><|calls|>`,
  },
  { family: 'LongCat', call: `<longcat_tool_call>\n${json()}\n</longcat_tool_call>` },
  {
    family: 'MiniMax M3',
    call: `${mark}<tool_call>\n${mark}<invoke name="${name}">${each(`${mark}<{{ key }}>${value}${mark}</{{ key }}>`)}${mark}</invoke>\n${mark}</tool_call>`,
  },
  {
    family: 'MiniMax',
    call: `<minimax:tool_call>\n<invoke name="${name}">\n${named('', 'parameter', '\n')}</invoke>\n</minimax:tool_call>`,
  },
  {
    family: 'dots',
    call: `<dots_function_call>\n<invoke name="${name}">\n${named('', 'parameter', '\n')}</invoke>\n</dots_function_call>`,
  },
  {
    family: 'Muse Glimmer',
    call: `<|start|>assistant to=${name}<|message|><atem:function_calls>\n<atem:invoke name="${name}">\n${named('atem:', 'parameter', '\n')}</atem:invoke>\n</atem:function_calls>`,
    opened: '<|start|>assistant',
  },
  {
    family: 'K2 Horizon',
    call: `<ifm|tool_calls>\n<ifm|tool_call>${name}\n${each(`<ifm|arg_key>{{ key }}</ifm|arg_key>\n<ifm|arg_value>${value}</ifm|arg_value>\n`)}</ifm|tool_call>\n</ifm|tool_calls>`,
  },
  {
    family: 'Inkling',
    call: `<|message_model|>${name}<|content_invoke_tool_json|>{"name":"${name}","args":${args}}<|end_message|>`,
  },
  {
    family: 'Hy3',
    call: `<tool_calls:opensource>\n<tool_call:opensource>${name}<tool_sep:opensource>\n${keyed(':opensource', '\n')}</tool_call:opensource>\n</tool_calls:opensource>`,
  },
  {
    family: 'Hy3 preview',
    call: `<tool_calls>\n<tool_call>${name}<tool_sep>\n${keyed('', '\n')}</tool_call>\n</tool_calls>`,
  },
  {
    family: 'Hy4 preview',
    call: `<tool_calls:6124c78e><tool_call:6124c78e>${name}${keyed(':6124c78e', '')}</tool_call:6124c78e></tool_calls:6124c78e>`,
  },
  { family: 'GLM', call: `<tool_call>${name}\n${keyed('', '\n')}</tool_call>` },
  ...['Qwen3-Coder', 'Nemotron 3', 'Step 3.5', 'MiMo V2'].map((family) => ({
    family,
    call: coder('<tool_call>', '</tool_call>'),
  })),
  { family: 'Seed-OSS', call: coder('<seed:tool_call>', '</seed:tool_call>') },
  { family: 'Functionary v3.1', call: `<function=${name}>${args}</function>` },
  {
    family: 'Functionary v3.2',
    call: `>>>${name}\n${args}`,
    prompt: 'Write to the user after >>>all.',
    opened: '>>>',
  },
  {
    family: 'Command',
    call: `<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "${name}", "parameters": ${args}}\n]<|END_ACTION|>`,
  },
  { family: 'Command R', call: `Action: \`\`\`json\n${indented('tool_name', 'parameters')}\n\`\`\`` },
  { family: 'Mistral 3', call: `[TOOL_CALLS]${name}[ARGS]${args}` },
  { family: 'Mistral', call: `[TOOL_CALLS][${json()}]` },
  { family: 'Nemotron', call: `<TOOLCALL>[${json()}]</TOOLCALL>` },
  { family: 'Gemma 4', call: `<|tool_call>call:${name}${braced('<|"|>')}<tool_call|>` },
  {
    family: 'FunctionGemma',
    call: `<start_function_call>call:${name}${braced('<escape>')}<end_function_call>`,
  },
  { family: 'Gemma 2 and 3', call: `\`\`\`tool_code\n${python('"')}\n\`\`\`` },
  {
    family: 'MiniCPM3',
    call: `<|tool_call_start|>\n\`\`\`python\n${python('"')}\n\`\`\`\n<|tool_call_end|>`,
  },
  { family: 'LFM2', call: `<|tool_call_start|>[${python("'")}]<|tool_call_end|>` },
  { family: 'MiniCPM 5', call: `<function name="${name}">${named('', 'param')}</function>` },
  { family: 'Apertus', call: `<|tools_prefix|>[{"${name}": ${args}}]<|tools_suffix|>` },
  { family: 'InternLM', call: `<|action_start|><|plugin|>\n${json('parameters')}<|action_end|>` },
  { family: 'GigaChat 3', call: `<|message_sep|>\n\nfunction call<|role_sep|>\n${json()}` },
  { family: 'OLMo 3', call: `<function_calls>${python('"')}</function_calls>` },
  { family: 'Phi-4', call: `<|tool_call|>[${json()}]<|/tool_call|>` },
  ...['Hermes', 'Qwen', 'Granite 4', 'SmolLM3', 'ERNIE 4.5', 'MiMo', 'Trinity'].map((family) => ({
    family,
    call: hermes,
  })),
  { family: 'Hunyuan', call: `<tool_calls>[${json()}]</tool_calls>` },
  { family: 'Apriel', call: `<tool_calls>[${json()}]</tool_calls>` },
  { family: 'Jamba', call: `<tool_calls>${indented()}</tool_calls>` },
  { family: 'MiniMax M1', call: `<tool_calls>\n${json()}\n</tool_calls>` },
  { family: 'Granite 20B', call: `<function_call> ${json()}` },
  { family: 'Granite 3', call: `<|tool_call|>[${json()}]`, prompt: '<|start_of_role|>system' },
  { family: 'FireFunction', call: ` functools[${json()}]` },
  { family: 'xLAM', call: `[${json()}]`, prompt: 'Write all calls as a single JSON array.' },
  {
    family: 'Hammer',
    call: `\`\`\`\n[${json()}]\n\`\`\``,
    prompt: 'Where no function fits, directly output an empty list.',
  },
  ...['Llama 4', 'ToolACE'].map((family) => ({
    family,
    call: `[${python('"')}]`,
    prompt: 'Write calls as [func_name1(name=value)].',
  })),
  { family: 'Llama 3', call: json('parameters'), prompt: 'Write {"name": name, "parameters": dictionary}.' },
];

/** The Jinja of a family's template. */
export function jinjaOf({ call, prompt = '' }: FamilyTemplate): string {
  const calls = `{% for c in m.tool_calls or [] %}${call}{% endfor %}`;
  const turn = `«{{ m.role }}»{{ m.content or '' }}${calls}«end»`;
  return `${prompt}{% for t in tools or [] %}{{ t | tojson }}{% endfor %}{% for m in messages %}${turn}{% endfor %}«assistant»`;
}
