"""What a reader can change while looking: living views, and the menus that change them."""

from bertattn.views.attention import HeadView, ModelView
from bertattn.views.clusters import ClusterView
from bertattn.views.controls import menus
from bertattn.views.documents import CorefView, guessed_antecedents
from bertattn.views.maps import HeadMap
from bertattn.views.page import View, write_page
from bertattn.views.trees import TreeView, guessed_tree, probe_trees

__all__ = [
    "ClusterView",
    "CorefView",
    "HeadMap",
    "HeadView",
    "ModelView",
    "TreeView",
    "View",
    "guessed_antecedents",
    "guessed_tree",
    "menus",
    "probe_trees",
    "write_page",
]
