/** The sidecar process: owns writes and serving of the shards of one host. */
@NullMarked
package io.stele.sidecar;

import org.jspecify.annotations.NullMarked;
