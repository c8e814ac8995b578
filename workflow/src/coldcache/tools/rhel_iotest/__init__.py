"""rhel_iotest.sh and the SAS Viya performance tool: their logs."""
