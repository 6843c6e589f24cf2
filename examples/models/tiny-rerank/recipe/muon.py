"""Muon (https://kellerjordan.github.io/posts/muon/): momentum whose singular values are all made about 1; for the matrices inside of a transformer.

PyTorch's own rounds to bfloat16, which takes a processor without such instructions longer.
"""

import torch


class Muon(torch.optim.Optimizer):
    def __init__(self, matrices, lr, momentum=0.95, weight_decay=0.01):
        super().__init__(matrices, dict(lr=lr, momentum=momentum, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for matrix in group["params"]:
                velocity = self.state[matrix].setdefault("velocity", torch.zeros_like(matrix))
                if matrix.grad is None:
                    continue
                velocity.lerp_(matrix.grad, 1 - group["momentum"])
                matrix.mul_(1 - group["lr"] * group["weight_decay"])
                # The size of a step of Adam, see https://arxiv.org/abs/2502.16982.
                size = 0.2 * max(matrix.shape) ** 0.5
                matrix.add_(orthogonal(matrix.grad.lerp(velocity, group["momentum"])), alpha=-group["lr"] * size)


def orthogonal(matrix, rounds=5):
    """About U Vᵀ of the singular value decomposition U S Vᵀ, by Newton and Schulz."""
    if matrix.shape[0] > matrix.shape[1]:
        return orthogonal(matrix.T, rounds).T
    found = matrix / (matrix.norm() + 1e-7)
    for _ in range(rounds):
        square = found @ found.T
        found = 3.4445 * found + (-4.775 * square + 2.0315 * square @ square) @ found
    return found
