"""How the levels of a factor are put in force: what a study or a site states of it, in YAML."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, field_validator, model_validator

from coldcache.core.errors import DesignError
from coldcache.core.vocabulary import nearest
from coldcache.core.yaml_models import Seconds, Strict

#: What a mount option reads as where the kernel does not list it, as it does with defaults.
DEFAULT = "default"


def name_level(level: Any) -> str:
    """Return a level as text; YAML reads a bare ``on`` as a boolean, which is called by its old name again."""
    return {True: "on", False: "off"}[level] if isinstance(level, bool) else str(level)


def _name_keys(given: Any) -> Any:
    return {name_level(key): name_level(value) for key, value in given.items()} if isinstance(given, Mapping) else given


Texts = Annotated[dict[str, str], BeforeValidator(_name_keys)]
Argv = Annotated[list[str], Field(min_length=1)]


class _Kind(Strict):
    """What every kind has."""

    values: Texts = Field(
        default_factory=dict, description="What puts each level in force, by level; the level itself when left out."
    )
    shown: Texts = Field(
        default_factory=dict, description="What is read back when a level is in force, where it is not the value."
    )
    fresh_files: bool = Field(
        False, description="Whether files take it when they are made, as a stripe layout: they are made anew each time."
    )
    slow: bool = Field(False, description="Whether changing it takes long: trials of one level then run together.")

    @model_validator(mode="after")
    def _tell_levels_apart(self) -> "_Kind":
        for level in self.shown:
            if self.values and level not in self.values:
                raise DesignError(f'shown: unknown level "{level}"; {nearest(level, list(self.values))}')
        readings = [self.reading(level) for level in self.values]
        if len(set(readings)) < len(readings):
            raise DesignError("two levels read the same, so none of them can be verified")
        return self

    def value(self, level: Any) -> str:
        """Return what puts a level in force."""
        return self.values.get(name_level(level), name_level(level))

    def reading(self, level: Any) -> str:
        """Return what is read back when a level is in force."""
        return self.shown.get(name_level(level), self.value(level))

    def readings(self, level: Any) -> list[str]:
        """Return what may be read back: of the level, and of every other one that is stated."""
        return [self.reading(known) for known in dict.fromkeys([name_level(level), *self.values, *self.shown])]

    def value_of_reading(self) -> dict[str, str]:
        """Return what puts back a level that was read, by the reading."""
        return {self.reading(level): self.value(level) for level in {**self.values, **self.shown}}

    def refuse_level(self, level: Any) -> None:
        """Raise `DesignError` if a level is not among those that are stated."""
        if self.values and name_level(level) not in self.values:
            raise DesignError(f'unknown level "{name_level(level)}"; {nearest(name_level(level), list(self.values))}')


class FileSetting(_Kind):
    """A value in sysfs or procfs."""

    kind: Literal["file"]
    path: str = Field(
        pattern=r"^/(sys|proc)/.",
        description="The file; {device} stands for the name of the target's block device, such as sda.",
    )

    @field_validator("path")
    @classmethod
    def _refuse_a_way_out(cls, path: str) -> str:
        if ".." in path.split("/"):
            raise DesignError(f'"{path}" leads out of sysfs and procfs; write the whole path')
        return path


class SysctlSetting(_Kind):
    """A kernel parameter."""

    kind: Literal["sysctl"]
    name: str = Field(pattern=r"^[A-Za-z0-9_./-]+$", description="Such as vm.dirty_ratio.")


class MountSetting(_Kind):
    """An option of the target's mount, changed by remounting."""

    kind: Literal["mount"]
    point: str = Field("", description="Where it is mounted; the target's file system when left out.")


class PreparedMounts(_Kind):
    """A choice among mounts that the site has prepared, such as of other versions of NFS."""

    kind: Literal["mounts"]
    values: Texts = Field(min_length=1, description="The mount point of each level; each is mounted, and empty.")


class CommandSetting(_Kind):
    """The site's own commands, such as those of an array controller."""

    kind: Literal["commands"]
    apply: Argv = Field(
        description="Puts a level in force; {level} stands for its value, {folder} for the sweep's folder."
    )
    verify: Argv = Field(description="Prints what is in force, and nothing else.")
    restore: list[str] = Field(
        default_factory=list,
        description="Puts back what was read before the first change, {before}; apply with that value when left out.",
    )
    every_node: bool | None = Field(
        None,
        description="On a cluster: whether each node has it for itself, and runs them, or one node runs them for all.",
    )
    root: bool = Field(False, description="Whether they need root, and so go through sudo -n.")
    seconds: Seconds = Field(60.0, gt=0, description="The longest that one of them may take.")

    @property
    def is_of_node(self) -> bool | None:
        """Whether each node has it for itself; None where neither is stated, nor told by the folder that they name."""
        words = " ".join([*self.apply, *self.verify])
        return False if self.every_node is None and "{folder}" in words else self.every_node


class LctlSetting(_Kind):
    """A parameter of the Lustre client, the same in all instances that the name matches; it needs root."""

    kind: Literal["lctl"]
    name: str = Field(pattern=r"^[A-Za-z0-9_.*-]+$", description="Such as osc.*.max_rpcs_in_flight.")


class LayoutSetting(_Kind):
    """How Lustre spreads the files and directories of the sweep's folder: by lfs setstripe, or lfs mkdir."""

    kind: Literal["lfs"]
    of: Literal["stripe-count", "stripe-size", "mdt-count"] = Field(
        description="What a level is: targets of a file, bytes before the next one, metadata targets of a directory."
    )
    fresh_files: bool = Field(True, description="Files and directories keep what they were made with.")


class VolumeSetting(_Kind):
    """An option of a GlusterFS volume, the client's if it has any part in it; it needs root."""

    kind: Literal["gluster"]
    volume: str = Field(pattern=r"^[A-Za-z0-9_-]+$", description="The volume that the target is mounted from.")
    option: str = Field(pattern=r"^[A-Za-z0-9_.-]+$", description="Such as performance.write-behind.")
    slow: bool = Field(True, description="Each change takes a new graph in every client.")


class TunedSetting(_Kind):
    """A profile of tuned, which is a level's value; it needs root."""

    kind: Literal["tuned"]
    slow: bool = Field(True, description="A profile changes many things at once.")


class LimitSetting(_Kind):
    """A limit of the IOPS of the target's device, which is a level's value, by a control group; it needs root."""

    kind: Literal["cgroup"]


class GuestSetting(_Kind):
    """What a guest is started with in which the trial runs on an NFS mount of its own."""

    kind: Literal["nfs-guest"]
    of: Literal["mount", "sysctl", "network", "disk"] = Field(
        "mount",
        description="What a level's value is of: options of the mount, kernel parameters, the delay of each packet "
        "(delay 1ms), or the layers of the server's disk, parted by semicolons (delay=10; writecache).",
    )
    option: str = Field(
        "{level}", description="The value of a level that values does not state; {level} stands for the level."
    )
    outage: Seconds = Field(0.0, ge=0, description="How long the server stops while the tool runs.")

    def value(self, level: Any) -> str:
        """Return the mount options of a level, or what else it is of, parted by semicolons."""
        return self.values.get(name_level(level), self.option.replace("{level}", name_level(level)))


Kind = (
    FileSetting | SysctlSetting | MountSetting | PreparedMounts | CommandSetting | LctlSetting | LayoutSetting
    | VolumeSetting | TunedSetting | LimitSetting | GuestSetting
)  # fmt: skip
_KINDS = ("file", "sysctl", "mount", "mounts", "commands", "lctl", "lfs", "gluster", "tuned", "cgroup", "nfs-guest")


def _tag_of_kind(given: Any) -> str:
    return f"kind:{given.get('kind') if isinstance(given, dict) else getattr(given, 'kind', None)}"


def _refuse_unknown_kind(given: Any) -> Any:
    if isinstance(given, Mapping) and given.get("kind") not in _KINDS:
        raise DesignError(f'unknown kind "{given.get("kind")}"; {nearest(str(given.get("kind")), _KINDS)}')
    if not isinstance(given, Mapping | _Kind):
        raise DesignError(f'"{given}" states no kind; known are {", ".join(_KINDS)}')
    return given


SettingKind = Annotated[
    Annotated[FileSetting, Tag("kind:file")]
    | Annotated[SysctlSetting, Tag("kind:sysctl")]
    | Annotated[MountSetting, Tag("kind:mount")]
    | Annotated[PreparedMounts, Tag("kind:mounts")]
    | Annotated[CommandSetting, Tag("kind:commands")]
    | Annotated[LctlSetting, Tag("kind:lctl")]
    | Annotated[LayoutSetting, Tag("kind:lfs")]
    | Annotated[VolumeSetting, Tag("kind:gluster")]
    | Annotated[TunedSetting, Tag("kind:tuned")]
    | Annotated[LimitSetting, Tag("kind:cgroup")]
    | Annotated[GuestSetting, Tag("kind:nfs-guest")],
    Discriminator(_tag_of_kind),
    BeforeValidator(_refuse_unknown_kind),
]


def refuse_unknown_name(names: tuple[str, ...]) -> Callable[[Any], Any]:
    """Return a validator that takes one of `names`, or what states a kind."""

    def validate(given: Any) -> Any:
        if isinstance(given, Mapping | _Kind) or given in names:
            return given
        raise DesignError(f'unknown "{given}"; {nearest(str(given), names)}')

    return validate
