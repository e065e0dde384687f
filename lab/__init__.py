"""The laboratory: demonstration, bench, chaos, evaluation. It measures the product; no part of the wheel."""
