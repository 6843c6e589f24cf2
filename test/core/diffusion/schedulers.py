"""Writes schedulers.json: what the schedulers of diffusers make of fixed samples, outputs and noise, step by step.

    pip install diffusers==0.42.1 torch==2.13.0 numpy==2.4.6 scipy==1.17.1 && python schedulers.py
"""

import itertools
import json
import sys
import types
from pathlib import Path

import diffusers
import numpy
import scipy
import torch

# Its only use is to draw noise, which comes from elsewhere here.
sys.modules["torchsde"] = types.ModuleType("torchsde")
from diffusers.schedulers import scheduling_ddpm, scheduling_dpmsolver_multistep, scheduling_dpmsolver_sde, scheduling_dpmsolver_singlestep, scheduling_euler_ancestral_discrete, scheduling_flow_match_euler_discrete, scheduling_k_dpm_2_ancestral_discrete, scheduling_lcm, scheduling_sasolver, scheduling_tcd

DRAWING = (scheduling_ddpm, scheduling_dpmsolver_multistep, scheduling_dpmsolver_singlestep, scheduling_euler_ancestral_discrete, scheduling_flow_match_euler_discrete, scheduling_k_dpm_2_ancestral_discrete, scheduling_lcm, scheduling_sasolver, scheduling_tcd)

SIZE = 4
COMMON = {"num_train_timesteps": 1000, "beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear"}


def wave(seed):
    """The same numbers in any language: no library's random generator."""
    return torch.tensor([[[[1.3 * torch.sin(torch.tensor(0.7 * k + 1.9 * seed + 0.3, dtype=torch.float64)).item() for k in range(SIZE)]]]], dtype=torch.float32)


class BrownianPath:
    """Two pieces of one path: what is drawn for the first half of a step is part of the whole step's noise."""

    def __init__(self, draw):
        self.draw, self.last = draw, None

    def __call__(self, start, end):
        noise, length = self.draw(), float(start - end)
        if self.last and self.last[0] == float(start):
            _, before, other = self.last
            noise = (other * before**0.5 + noise * (length - before) ** 0.5) / length**0.5
        self.last = (float(start), length, noise)
        return noise


def run(name, settings, steps, mu=None):
    drawn = itertools.count(100)
    noise = lambda *_, **__: wave(next(drawn))
    for module in DRAWING:
        module.randn_tensor = noise
    scheduling_dpmsolver_sde.BrownianTreeNoiseSampler = lambda *_: BrownianPath(noise)
    of = scheduling_dpmsolver_sde if name == "DPMSolverSDEScheduler" else diffusers
    scheduler = getattr(of, name)(**settings)
    if mu is None:
        scheduler.set_timesteps(steps)
    else:
        # As the pipelines of these models do.
        scheduler.set_timesteps(sigmas=torch.linspace(1.0, 1 / steps, steps).tolist(), mu=mu)
    if hasattr(scheduler, "set_begin_index"):
        scheduler.set_begin_index(0)
    scale = float(getattr(scheduler, "init_noise_sigma", 1.0))
    sample, samples, scales = wave(0) * scale, [], []
    for index, timestep in enumerate(scheduler.timesteps):
        scaled = scheduler.scale_model_input(sample, timestep) if hasattr(scheduler, "scale_model_input") else sample
        scales.append(float((scaled / sample).flatten()[0]))
        sample = scheduler.step(wave(index + 1), timestep, sample).prev_sample
        samples.append([float(f"{value:.7g}") for value in sample.flatten().tolist()])
    return {
        "class": name,
        "settings": settings,
        "steps": steps,
        "timesteps": [float(f"{value:.8g}") for value in scheduler.timesteps.tolist()],
        "initialNoiseScale": float(f"{scale:.7g}"),
        "inputScales": [float(f"{value:.7g}") for value in scales],
        "samples": samples,
    }


def cases():
    spacings = ["linspace", "leading", "trailing"]
    predictions = {
        "EulerDiscreteScheduler": ["epsilon", "v_prediction", "sample"],
        "EulerAncestralDiscreteScheduler": ["epsilon", "v_prediction"],
        "DDIMScheduler": ["epsilon", "v_prediction", "sample"],
        "DPMSolverMultistepScheduler": ["epsilon", "v_prediction", "sample"],
        "PNDMScheduler": ["epsilon", "v_prediction"],
        "HeunDiscreteScheduler": ["epsilon", "v_prediction", "sample"],
        "DPMSolverSDEScheduler": ["epsilon", "v_prediction"],
        "UniPCMultistepScheduler": ["epsilon", "v_prediction", "sample"],
    }
    extra = {"PNDMScheduler": {"skip_prk_steps": True}, "DDIMScheduler": {"clip_sample": False, "set_alpha_to_one": False}}
    for name, types in predictions.items():
        for prediction, spacing, steps in itertools.product(types, spacings, [4, 7]):
            if name in list(predictions)[5:] and spacing != "linspace" and (prediction != "epsilon" or steps == 4):
                continue
            yield name, {**COMMON, **extra.get(name, {}), "prediction_type": prediction, "timestep_spacing": spacing, "steps_offset": 1 if spacing == "leading" else 0}, steps
    for prediction, steps in itertools.product(["epsilon", "v_prediction", "sample"], [1, 4, 7]):
        yield "LCMScheduler", {**COMMON, "prediction_type": prediction, "original_inference_steps": 50}, steps
    for schedule in ["linear", "squaredcos_cap_v2"]:
        for name in predictions:
            yield name, {"beta_schedule": schedule, **extra.get(name, {}), "timestep_spacing": "leading"}, 5
    for name in ["EulerDiscreteScheduler", "EulerAncestralDiscreteScheduler", "DDIMScheduler", "DPMSolverMultistepScheduler"]:
        settings = {**COMMON, "rescale_betas_zero_snr": True, "timestep_spacing": "trailing", "prediction_type": "v_prediction"}
        yield name, {**settings, **extra.get(name, {})}, 5
    for way in ["use_karras_sigmas", "use_exponential_sigmas"]:
        for name, spacing in [("EulerDiscreteScheduler", "leading"), ("DPMSolverMultistepScheduler", "linspace")]:
            yield name, {**COMMON, way: True, "timestep_spacing": spacing}, 6
    yield "DPMSolverMultistepScheduler", {"beta_schedule": "squaredcos_cap_v2", "use_karras_sigmas": True}, 6
    yield "EulerDiscreteScheduler", {**COMMON, "final_sigmas_type": "sigma_min"}, 4
    yield "EulerDiscreteScheduler", {**COMMON, "timestep_type": "continuous", "prediction_type": "v_prediction", "use_karras_sigmas": True, "sigma_min": 0.002, "sigma_max": 700.0}, 5
    yield "EulerDiscreteScheduler", {**COMMON, "timestep_spacing": "trailing"}, 1
    for settings in [{"final_sigmas_type": "sigma_min"}, {"solver_order": 1}, {"solver_type": "heun"}, {"euler_at_final": True, "final_sigmas_type": "sigma_min"}, {"algorithm_type": "sde-dpmsolver++"},
                     {"algorithm_type": "sde-dpmsolver++", "solver_type": "heun"}, {"lambda_min_clipped": -5.1, "beta_schedule": "squaredcos_cap_v2"}]:
        yield "DPMSolverMultistepScheduler", {**COMMON, **settings}, 6
    yield "DPMSolverMultistepScheduler", COMMON, 20
    for name, steps in itertools.product(["DPMSolverMultistepScheduler", "UniPCMultistepScheduler"], [30]):
        yield name, COMMON, steps
    yield "EulerDiscreteScheduler", {**COMMON, "timestep_spacing": "trailing"}, 48
    for name, spacing in [("EulerDiscreteScheduler", "leading"), ("DPMSolverMultistepScheduler", "linspace"), ("HeunDiscreteScheduler", "trailing"), ("DPMSolverSDEScheduler", "linspace"), ("UniPCMultistepScheduler", "linspace")]:
        yield name, {**COMMON, "use_beta_sigmas": True, "timestep_spacing": spacing}, 6
    yield "FlowMatchEulerDiscreteScheduler", {"shift": 3.0, "use_beta_sigmas": True}, 6
    for way in ["use_karras_sigmas", "use_exponential_sigmas"]:
        for name in ["HeunDiscreteScheduler", "DPMSolverSDEScheduler", "UniPCMultistepScheduler"]:
            yield name, {**COMMON, way: True}, 6
    yield "HeunDiscreteScheduler", {**COMMON, "clip_sample": True, "clip_sample_range": 0.9}, 4
    for name in ["HeunDiscreteScheduler", "DPMSolverSDEScheduler", "UniPCMultistepScheduler"]:
        yield name, {}, 1
    for settings in [{"solver_order": 1}, {"solver_order": 3}, {"solver_order": 3, "solver_type": "bh1", "final_sigmas_type": "sigma_min"}, {"solver_type": "bh1", "final_sigmas_type": "sigma_min"}, {"solver_type": "midpoint"}, {"disable_corrector": [0, 2]}, {"final_sigmas_type": "sigma_min"},
                     {"final_sigmas_type": "sigma_min", "lower_order_final": False}, {"rescale_betas_zero_snr": True, "prediction_type": "v_prediction", "timestep_spacing": "trailing"}]:
        yield "UniPCMultistepScheduler", {**COMMON, **settings}, 6
    for settings in [{"flow_shift": 3.0}, {"flow_shift": 5.0, "solver_order": 3}]:
        yield "UniPCMultistepScheduler", {"prediction_type": "flow_prediction", "use_flow_sigmas": True, **settings}, 6
    yield "DPMSolverMultistepScheduler", {"prediction_type": "flow_prediction", "use_flow_sigmas": True, "flow_shift": 3.0}, 6
    yield "DDIMScheduler", {**COMMON, "clip_sample": True, "clip_sample_range": 0.9}, 4
    yield "DDIMScheduler", {**COMMON, "clip_sample": False, "set_alpha_to_one": True}, 4
    for steps in [1, 2, 3, 12]:
        yield "PNDMScheduler", {**COMMON, "skip_prk_steps": True, "steps_offset": 1}, steps
    for prediction, steps in itertools.product(["epsilon", "v_prediction"], [4, 9]):
        yield "PNDMScheduler", {**COMMON, "prediction_type": prediction}, steps
    for settings in [{}, {"shift": 3.0}, {"shift": 3.0, "stochastic_sampling": True}, {"shift": 3.0, "use_karras_sigmas": True}, {"use_exponential_sigmas": True}, {"shift_terminal": 0.1}]:
        for steps in [1, 4, 7]:
            if not (settings.get("shift_terminal") and steps == 1):
                yield "FlowMatchEulerDiscreteScheduler", settings, steps
    for name, types in {"LMSDiscreteScheduler": ["epsilon", "v_prediction", "sample"], "KDPM2DiscreteScheduler": ["epsilon", "v_prediction"], "KDPM2AncestralDiscreteScheduler": ["epsilon", "v_prediction"], "DEISMultistepScheduler": ["epsilon", "v_prediction", "sample"]}.items():
        yield name, {}, 1
        if name != "KDPM2AncestralDiscreteScheduler":  # It makes NaN of sigmas so large.
            yield name, {"beta_schedule": "squaredcos_cap_v2"}, 5
        for prediction, steps in itertools.product(types, [4, 7]):
            yield name, {**COMMON, "prediction_type": prediction}, steps
        for settings in [{"timestep_spacing": "leading", "steps_offset": 1}, {"timestep_spacing": "trailing"}, {"use_karras_sigmas": True}, {"use_exponential_sigmas": True}, {"use_beta_sigmas": True}]:
            yield name, {**COMMON, **settings}, 6
    yield "LMSDiscreteScheduler", COMMON, 50
    for settings in [{"solver_order": 1}, {"solver_order": 3}, {"solver_order": 3, "lower_order_final": False}]:
        yield "DEISMultistepScheduler", {**COMMON, **settings}, 6
    yield "DEISMultistepScheduler", {**COMMON, "solver_order": 3}, 20
    for name in ["DEISMultistepScheduler", "DPMSolverSinglestepScheduler"]:
        yield name, {"prediction_type": "flow_prediction", "use_flow_sigmas": True, "flow_shift": 3.0, "solver_order": 3}, 6
    for order, kind, algorithm, last in itertools.product([2, 3], ["midpoint", "heun"], ["dpmsolver++", "sde-dpmsolver++"], ["zero", "sigma_min"]):
        # The stochastic one of order 3 after Heun has a wrong sign in this version.
        if (order, kind, algorithm) != (3, "heun", "sde-dpmsolver++"):
            yield "DPMSolverSinglestepScheduler", {**COMMON, "solver_order": order, "solver_type": kind, "algorithm_type": algorithm, "final_sigmas_type": last}, 6
    for steps, order in [(1, 2), (1, 3), (2, 3), (4, 3), (5, 3), (7, 3), (5, 2), (6, 1), (20, 2)]:
        yield "DPMSolverSinglestepScheduler", {**COMMON, "solver_order": order}, steps
    for settings in [{"prediction_type": "v_prediction"}, {"prediction_type": "sample"}, {"lower_order_final": True, "final_sigmas_type": "sigma_min"}, {"use_karras_sigmas": True}, {"use_exponential_sigmas": True}, {"use_beta_sigmas": True}, {"lambda_min_clipped": -5.1, "beta_schedule": "squaredcos_cap_v2"}]:
        yield "DPMSolverSinglestepScheduler", {**COMMON, **settings}, 6
    for steps, last in itertools.product([6, 20], ["zero", "sigma_min"]):
        yield "DPMSolverMultistepScheduler", {**COMMON, "solver_order": 3, "final_sigmas_type": last}, steps
    yield "DPMSolverMultistepScheduler", {**COMMON, "solver_order": 3, "final_sigmas_type": "sigma_min", "lower_order_final": False}, 6
    for prediction, steps in itertools.product(["epsilon", "v_prediction", "sample"], [1, 4, 8]):
        yield "TCDScheduler", {"prediction_type": prediction}, steps
    yield "LCMScheduler", {}, 4
    for algorithm, predictor, corrector in itertools.product(["data_prediction", "noise_prediction"], [1, 2, 3, 4], [1, 2, 3, 4]):
        for last in [True, False]:
            if predictor == corrector or last:
                yield "SASolverScheduler", {**COMMON, "algorithm_type": algorithm, "predictor_order": predictor, "corrector_order": corrector, "lower_order_final": last}, 7
    # With more steps of order 4, single precision leaves it few digits.
    for steps, predictor, corrector in [(1, 3, 4), (2, 3, 4), (3, 3, 4), (25, 2, 3)]:
        yield "SASolverScheduler", {**COMMON, "predictor_order": predictor, "corrector_order": corrector}, steps
    for settings in [{}, {"prediction_type": "v_prediction"}, {"prediction_type": "sample"}, {"prediction_type": "sample", "algorithm_type": "noise_prediction"}, {"prediction_type": "v_prediction", "algorithm_type": "noise_prediction"}, {"timestep_spacing": "leading", "steps_offset": 1}, {"timestep_spacing": "trailing"},
                     {"use_karras_sigmas": True}, {"use_karras_sigmas": True, "lower_order_final": False}, {"use_exponential_sigmas": True}, {"use_beta_sigmas": True}, {"beta_schedule": "squaredcos_cap_v2", "lambda_min_clipped": -5.1}, {"thresholding": True, "prediction_type": "sample"}]:
        yield "SASolverScheduler", {**COMMON, **settings}, 6
    for settings in [{"flow_shift": 5.0}, {"flow_shift": 3.0, "predictor_order": 3, "corrector_order": 3}]:
        yield "SASolverScheduler", {"prediction_type": "flow_prediction", "use_flow_sigmas": True, **settings}, 6
    for name, settings in {"DDIMScheduler": {}, "LCMScheduler": {}, "DPMSolverMultistepScheduler": {}, "DPMSolverSinglestepScheduler": {"solver_order": 3}, "UniPCMultistepScheduler": {}, "DEISMultistepScheduler": {}}.items():
        for limits in [{}, {"dynamic_thresholding_ratio": 0.8, "sample_max_value": 1.5}]:
            yield name, {**COMMON, **settings, **limits, "thresholding": True, "prediction_type": "sample"}, 5
    for prediction, spacing, steps in itertools.product(["epsilon", "v_prediction", "sample"], ["linspace", "leading", "trailing"], [4, 7]):
        yield "DDPMScheduler", {**COMMON, "clip_sample": False, "prediction_type": prediction, "timestep_spacing": spacing}, steps
    for settings in [{}, {"steps_offset": 1}, {"variance_type": "fixed_large"}, {"variance_type": "fixed_small_log"}, {"clip_sample_range": 0.7}, {"thresholding": True}, {"beta_schedule": "squaredcos_cap_v2"},
                     {"rescale_betas_zero_snr": True, "prediction_type": "v_prediction", "timestep_spacing": "trailing"}]:
        yield "DDPMScheduler", {**COMMON, **settings}, 6
    yield "DDPMScheduler", {}, 1
    for settings in [{}, {"timestep_spacing": "leading"}, {"beta_schedule": "squaredcos_cap_v2"}, {"final_sigmas_type": "sigma_min"}]:
        yield "DPMSolverMultistepScheduler", {**COMMON, **settings, "use_lu_lambdas": True}, 6
    noise = {"algorithm_type": "dpmsolver", "final_sigmas_type": "sigma_min"}
    for prediction, order, steps in itertools.product(["epsilon", "v_prediction", "sample"], [1, 2, 3], [6, 20]):
        yield "DPMSolverMultistepScheduler", {**COMMON, **noise, "prediction_type": prediction, "solver_order": order}, steps
    for settings in [{"solver_type": "heun"}, {"algorithm_type": "sde-dpmsolver"}, {"algorithm_type": "sde-dpmsolver", "solver_type": "heun"}, {"algorithm_type": "sde-dpmsolver", "solver_order": 1}, {"thresholding": True, "prediction_type": "sample"}, {"use_lu_lambdas": True}]:
        yield "DPMSolverMultistepScheduler", {**COMMON, **noise, **settings}, 6


def main():
    written = [run(*case) for case in cases()]
    for kind, tokens in itertools.product(["exponential", "linear"], [256, 1024, 4096]):
        settings = {"use_dynamic_shifting": True, "time_shift_type": kind, "base_shift": 0.5, "max_shift": 1.15, "base_image_seq_len": 256, "max_image_seq_len": 4096}
        mu = 0.5 + (1.15 - 0.5) / (4096 - 256) * (tokens - 256)
        written.append({**run("FlowMatchEulerDiscreteScheduler", settings, 5, mu), "imageTokens": tokens})
    made_with = {"diffusers": diffusers.__version__, "torch": torch.__version__, "numpy": numpy.__version__, "scipy": scipy.__version__}
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in written)
    Path(__file__).with_suffix(".json").write_text(f'{{"madeWith":{json.dumps(made_with)},"cases":[\n{lines}\n]}}\n')
    print(len(written), "cases")


if __name__ == "__main__":
    main()
