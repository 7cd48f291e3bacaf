# SPDX-License-Identifier: Apache-2.0
"""Records what real models reshape: writes each pair of sizes that a view, reshape or flatten was called with.

Needs PyTorch 2.6, torchvision 0.21, timm 1.0 and transformers 4.57. The models have random weights and run
without memory (device meta) at their usual sizes, a few layers deep. Run as

    python record_reshapes.py ../data/reshapes_of_models.txt.gz
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import sys
import warnings

import timm
import torch
import torchvision
import transformers

TORCHVISION = [
    "resnet18",
    "shufflenet_v2_x1_0",
    "googlenet",
    "densenet121",
    "mobilenet_v3_small",
    "vgg11",
    "vit_b_16",
    "swin_t",
    "swin_v2_t",
    "maxvit_t",
    "efficientnet_v2_s",
]
VIDEO = ["swin3d_t", "mvit_v2_s", "s3d", "r2plus1d_18"]
TIMM = [
    "vit_small_patch16_224",
    "deit3_small_patch16_224",
    "swin_tiny_patch4_window7_224",
    "swinv2_tiny_window8_256",
    "swinv2_cr_tiny_224",
    "maxvit_tiny_tf_224",
    "coatnet_0_rw_224",
    "convnext_tiny",
    "cait_s24_224",
    "crossvit_9_240",
    "levit_128",
    "mvitv2_tiny",
    "pvt_v2_b0",
    "twins_svt_small",
    "twins_pcpvt_small",
    "xcit_nano_12_p16_224",
    "volo_d1_224",
    "nest_tiny",
    "davit_tiny",
    "efficientformer_l1",
    "efficientformerv2_s0",
    "mobilevit_s",
    "mobilevitv2_050",
    "edgenext_xx_small",
    "poolformer_s12",
    "gcvit_xxtiny",
    "focalnet_tiny_srf",
    "mixer_s16_224",
    "resmlp_12_224",
    "gmlp_s16_224",
    "hiera_tiny_224",
    "tiny_vit_5m_224",
    "repvit_m0_9",
    "fastvit_t8",
    "nextvit_small",
    "halonet26t",
    "lambda_resnet26t",
    "botnet26t_256",
    "eca_botnext26ts_256",
    "skresnet18",
    "resnest14d",
    "coat_tiny",
    "convit_tiny",
    "tnt_s_patch16_224",
    "visformer_tiny",
    "pit_ti_224",
    "sequencer2d_s",
    "beit_base_patch16_224",
    "eva02_tiny_patch14_224",
    "sebotnet33ts_256",
    "mobilenetv4_hybrid_medium",
    "vit_relpos_small_patch16_224",
    "inception_next_tiny",
    "cspresnet50",
    "ghostnetv2_100",
    "haloregnetz_b",
    "convformer_s18",
    "caformer_s18",
    "pvt_v2_b2_li",
    "naflexvit_base_patch16_gap",
    "efficientvit_b0",
    "efficientvit_m0",
    "shvit_s1",
    "swiftformer_xs",
    "mambaout_tiny",
    "rdnet_tiny",
    "starnet_s1",
    "vitamin_small_224",
]
TEXT = [
    "BertConfig",
    "GPT2Config",
    "GPTNeoConfig",
    "GPTJConfig",
    "LlamaConfig",
    "MistralConfig",
    "MixtralConfig",
    "Qwen2Config",
    "Qwen3Config",
    "GemmaConfig",
    "Gemma2Config",
    "T5Config",
    "MT5Config",
    "BartConfig",
    "LongformerConfig",
    "LEDConfig",
    "BigBirdConfig",
    "XLNetConfig",
    "DebertaConfig",
    "DebertaV2Config",
    "ElectraConfig",
    "FunnelConfig",
    "RobertaConfig",
    "BloomConfig",
    "FalconConfig",
    "OPTConfig",
    "GPTNeoXConfig",
    "SqueezeBertConfig",
    "MobileBertConfig",
    "ConvBertConfig",
    "MPNetConfig",
    "NystromformerConfig",
    "CanineConfig",
    "FNetConfig",
    "PhiConfig",
    "Phi3Config",
    "DbrxConfig",
    "DeepseekV3Config",
    "DeepseekV2Config",
    "MambaConfig",
    "Mamba2Config",
    "RwkvConfig",
    "AlbertConfig",
    "DistilBertConfig",
    "PegasusConfig",
    "PegasusXConfig",
    "BigBirdPegasusConfig",
    "LongT5Config",
    "SwitchTransformersConfig",
    "ReformerConfig",
    "XLMConfig",
    "XmodConfig",
    "YosoConfig",
    "MegatronBertConfig",
    "CohereConfig",
    "OlmoConfig",
    "StableLmConfig",
    "Starcoder2Config",
    "JambaConfig",
    "RecurrentGemmaConfig",
    "ZambaConfig",
    "MptConfig",
    "CodeGenConfig",
    "PersimmonConfig",
    "BioGptConfig",
    "ErnieConfig",
    "RoFormerConfig",
    "ProphetNetConfig",
    "MarianConfig",
    "M2M100Config",
    "GPTBigCodeConfig",
    "CTRLConfig",
    "LukeConfig",
    "GlmConfig",
    "GraniteMoeConfig",
    "OlmoeConfig",
    "Qwen2MoeConfig",
    "XGLMConfig",
    "EsmConfig",
    "MraConfig",
]
IMAGE = [
    "ViTConfig",
    "SwinConfig",
    "Swinv2Config",
    "SegformerConfig",
    "BeitConfig",
    "DPTConfig",
    "GLPNConfig",
    "YolosConfig",
    "DeiTConfig",
    "PoolFormerConfig",
    "MobileViTConfig",
    "MobileViTV2Config",
    "ConvNextConfig",
    "PvtConfig",
    "PvtV2Config",
    "EfficientFormerConfig",
    "Dinov2Config",
    "ViTMAEConfig",
    "CvtConfig",
    "LevitConfig",
    "FocalNetConfig",
    "HieraConfig",
    "DetrConfig",
    "Swin2SRConfig",
    "ViTMSNConfig",
    "SwiftFormerConfig",
    "SiglipVisionConfig",
    "CLIPVisionConfig",
    "TableTransformerConfig",
    "ConditionalDetrConfig",
    "DeformableDetrConfig",
    "DonutSwinConfig",
    "MaskFormerSwinConfig",
    "IJepaConfig",
    "VitDetConfig",
    "Data2VecVisionConfig",
]
AUDIO = [
    "Wav2Vec2Config",
    "Wav2Vec2ConformerConfig",
    "HubertConfig",
    "WavLMConfig",
    "SEWConfig",
    "SEWDConfig",
    "UniSpeechConfig",
    "Data2VecAudioConfig",
    "Wav2Vec2BertConfig",
]

PAIRS: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
DONE: list[str] = []


def watched(function):
    """The function; the sizes of its first argument and of its result are kept."""

    @functools.wraps(function)
    def call(self, *args, **kwargs):
        result = function(self, *args, **kwargs)
        is_tensor = isinstance(self, torch.Tensor) and isinstance(result, torch.Tensor)
        if is_tensor and self.dtype == result.dtype and self.numel() == result.numel():
            PAIRS.add((tuple(map(int, self.shape)), tuple(map(int, result.shape))))
        return result

    return call


def watch() -> None:
    """Watches the methods and functions that reshape."""
    for owner in (torch.Tensor, torch):
        for name in ("view", "reshape", "flatten", "view_as", "reshape_as", "unflatten"):
            if hasattr(owner, name):
                setattr(owner, name, watched(getattr(owner, name)))


@contextlib.contextmanager
def trying(name: str):
    """What cannot run without memory, or is unknown to the installed version, is left out, and said."""
    before = len(PAIRS)
    try:
        yield
        DONE.append(name)
    except Exception as error:
        print(f"left out: {name}: {type(error).__name__}: {str(error)[:100]}", file=sys.stderr)
    print(name, len(PAIRS) - before, file=sys.stderr)


def run(model, *args, **kwargs) -> None:
    with torch.no_grad():
        model.eval()(*args, **kwargs)


def shallow(config):
    """The configuration with two layers, not too wide, and few words."""
    most = {
        "num_hidden_layers": 2,
        "n_layer": 2,
        "n_layers": 2,
        "encoder_layers": 2,
        "decoder_layers": 2,
        "num_layers": 2,
    }
    most |= {
        "hidden_size": 1024,
        "intermediate_size": 1024,
        "ffn_hidden_size": 1024,
        "num_experts": 8,
        "n_routed_experts": 8,
    }
    most |= {"vocab_size": 1000, "num_local_experts": 8}
    for name, size in most.items():
        with contextlib.suppress(Exception):
            if isinstance(getattr(config, name, None), int) and getattr(config, name) > size:
                setattr(config, name, size)
    for name in ("pad_token_id", "bos_token_id", "eos_token_id", "decoder_start_token_id"):
        if isinstance(getattr(config, name, None), int) and getattr(config, name) >= 1000:
            setattr(config, name, 1)
    return config


def images(batch: int) -> None:
    """Models of images and of video."""
    for name in TORCHVISION:
        with trying(name):
            run(
                torchvision.models.get_model(name, weights=None, init_weights=False)
                if name in ("googlenet",)
                else torchvision.models.get_model(name, weights=None),
                torch.zeros(batch, 3, 224, 224),
            )
    for name in VIDEO:
        with trying(name):
            run(torchvision.models.get_model(name, weights=None), torch.zeros(batch, 3, 16, 224, 224))
    for name in TIMM:
        with trying(name):
            model = timm.create_model(name)
            run(model, torch.zeros(batch, *model.pretrained_cfg["input_size"]))
    for name in IMAGE:
        with trying(name):
            config = shallow(
                getattr(transformers, name)(
                    **(
                        {
                            "use_timm_backbone": False,
                            "use_pretrained_backbone": False,
                            "backbone": None,
                            "backbone_config": transformers.ResNetConfig(out_features=["stage2", "stage3", "stage4"]),
                        }
                        if "Detr" in name or "Table" in name
                        else {}
                    )
                )
            )
            size = getattr(config, "image_size", 224)
            size = (size, size) if isinstance(size, int) else size
            run(transformers.AutoModel.from_config(config), torch.zeros(batch, 3, *size))


def texts(batch: int, length: int) -> None:
    """Models of text and of sound; short texts in memory, since many models look at their elements."""
    torch.set_default_device("cpu" if batch * length < 400 else "meta")
    for name in TEXT:
        with trying(name):
            config = shallow(getattr(transformers, name)())
            ids = torch.zeros(batch, length, dtype=torch.long)
            more = {"decoder_input_ids": ids} if config.is_encoder_decoder else {}
            run(transformers.AutoModel.from_config(config), input_ids=ids, **more)
    for name in AUDIO:
        with trying(name):
            config = shallow(getattr(transformers, name)())
            sound = torch.zeros(batch, 100, 160) if "2Bert" in name else torch.zeros(batch, 16000)
            run(transformers.AutoModel.from_config(config), sound)


def pixels() -> None:
    """Reshapes around loss functions and attention that models of other sizes make."""
    for batch, length, heads, size in ((2, 10, 8, 512), (16, 50, 4, 256), (64, 64, 8, 512), (4, 20, 12, 768)):
        with trying("MultiheadAttention"):
            attention = torch.nn.MultiheadAttention(size, heads)
            x = torch.zeros(length, batch, size)
            attention.train()(x, x, x)
            torch.nn.Transformer(size, heads, 1, 1).train()(x, x)


def main() -> None:
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    watch()
    torch.set_default_device("meta")
    for batch in (1, 2, 6, 8):
        images(batch)
    for batch, length in ((1, 37), (2, 16), (6, 50), (4, 128), (8, 512)):
        texts(batch, length)
    pixels()
    lines = [
        " ".join(",".join(map(str, sizes)) for sizes in pair) + "\n" for pair in sorted(PAIRS) if pair[0] != pair[1]
    ]
    with open(sys.argv[1], "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as packed:
        packed.write("".join(lines).encode())
    print(f"{len(lines)} reshapes of {len(set(DONE))} models", file=sys.stderr)


if __name__ == "__main__":
    main()
