"""What the lab asks of the kernel: namespaces, cgroups, processes inside them."""
