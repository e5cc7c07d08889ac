/** Rows by key on S3 with its latency: {@code bin/stele bench s3-keys}. */
@NullMarked
package io.stele.benchmarks.s3keys;

import org.jspecify.annotations.NullMarked;
