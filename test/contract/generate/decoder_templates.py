"""Chat templates in the shape of each family's own, written anew and without what is beside the point here."""

HEADERS = (
    "{{- bos_token }}"
    "{%- for message in messages %}"
    "{{- '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' + message.content | trim + '<|eot_id|>' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}"
)

CHATML = (
    "{%- if messages[0].role != 'system' %}{{- '<|im_start|>system\\nBe brief.<|im_end|>\\n' }}{%- endif %}"
    "{%- for message in messages %}"
    "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"
)

CHATML_THINKING = (
    "{%- for message in messages %}"
    "{%- set content = message.content %}"
    "{%- if message.role == 'assistant' and '</think>' in content %}"
    "{%- set content = content.split('</think>')[-1].lstrip('\\n') %}"
    "{%- endif %}"
    "{{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>\\n' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}"
    "{{- '<|im_start|>assistant\\n' }}"
    "{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}"
    "{%- endif %}"
)

TURNS = (
    "{{ bos_token }}"
    "{%- if messages[0].role == 'system' -%}"
    "{%- set first = messages[0].content + '\\n\\n' -%}{%- set rest = messages[1:] -%}"
    "{%- else -%}{%- set first = '' -%}{%- set rest = messages -%}{%- endif -%}"
    "{%- for message in rest -%}"
    "{%- if (message.role == 'user') != (loop.index0 % 2 == 0) -%}"
    "{{ raise_exception('user and assistant have to take turns') }}"
    "{%- endif -%}"
    "{%- set role = 'model' if message.role == 'assistant' else message.role -%}"
    "{{ '<start_of_turn>' + role + '\\n' + (first if loop.first else '') + message.content | trim + '<end_of_turn>\\n' }}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{ '<start_of_turn>model\\n' }}{%- endif -%}"
)

PHI3 = (
    "{% for message in messages %}"
    "{{ '<|' + message.role + '|>\\n' + message.content + '<|end|>\\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% else %}{{ eos_token }}{% endif %}"
)

INSTRUCT_OUTPUT = (
    "{% for message in messages %}"
    "{% if message.role == 'system' %}{{ message.content + '\\n' }}"
    "{% elif message.role == 'user' %}{{ 'Instruct: ' + message.content + '\\n' }}"
    "{% else %}{{ 'Output: ' + message.content + '\\n' }}{% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ 'Output:' }}{% endif %}"
)

PLAIN_TURNS = "{% for message in messages %}{{ message.content }}{{ eos_token }}{% endfor %}"

INST = (
    "{{- bos_token }}"
    "{%- if messages[0].role == 'system' %}"
    "{%- set system = messages[0].content + '\\n\\n' %}{%- set rest = messages[1:] %}"
    "{%- else %}{%- set system = '' %}{%- set rest = messages %}{%- endif %}"
    "{%- for message in rest %}"
    "{%- if message.role == 'user' %}"
    "{{- '[INST] ' + (system if loop.last else '') + message.content + ' [/INST]' }}"
    "{%- else %}{{- ' ' + message.content + eos_token }}{%- endif %}"
    "{%- endfor %}"
)

NAMED_TURNS = (
    "{% for message in messages %}"
    "{{ '<|' + message.role + '|>\\n' + message.content }}"
    "{% if message.role == 'assistant' %}{{ eos_token }}{% endif %}{{ '\\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}"
)
