import dspy
from report import API_KEY, BASE_URL, CHAT, EMBEDDING, QUESTION, check, check_text, report

lm = dspy.LM(f"openai/{CHAT}", api_base=BASE_URL, api_key=API_KEY, temperature=0, max_tokens=100, cache=False)


def chat():
    (answer,) = lm(QUESTION)
    check_text(answer if isinstance(answer, str) else answer["text"])


def structured():
    """DSPy asks models that it doesn't know by their prompt alone, which is beyond a tiny model."""

    class Scene(dspy.Signature):
        question: str = dspy.InputField()
        color: str = dspy.OutputField()
        count: int = dspy.OutputField()

    with dspy.context(lm=lm, adapter=dspy.JSONAdapter()):
        answer = dspy.Predict(Scene)(question=QUESTION)
    check(isinstance(answer.color, str) and isinstance(answer.count, int), "typed fields")


def embeddings():
    embedder = dspy.Embedder(f"openai/{EMBEDDING}", api_base=BASE_URL, api_key=API_KEY, caching=False)
    check(embedder(["a red circle", "a blue square"]).shape[0] == 2, "two vectors")


report(
    "dspy",
    {
        "chat": chat,
        "structured output": structured,
        "embeddings": embeddings,
    },
)
