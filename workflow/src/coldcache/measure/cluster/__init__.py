"""Several nodes: which jobs a campaign asks for, which nodes a job got, and what runs where on them."""
