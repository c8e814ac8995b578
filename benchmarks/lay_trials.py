#!/usr/bin/env python3
"""Create the trials of the campaign `bench` in this folder as if each had been measured."""

import os
from pathlib import Path

from coldcache.campaign.begin import begin
from coldcache.workflow.configuration import read_design

campaign = read_design({"campaign": "bench", "studies": "bench", "site": "bench"})
begin(campaign)
for block in campaign.blocks():
    for trial in block.trials:
        folder = f"{campaign.folder}/{trial.key}"
        Path(folder).mkdir(parents=True)
        os.close(os.open(f"{folder}/trial.json", os.O_CREAT))
