/**
 * The background maintenance of one shard: its flushes and compactions, and the publication of its
 * manifests.
 *
 * <p>The node and all above it may call it. It may touch shards, compactions and jobs.
 */
@NullMarked
package io.stele.engine.shard.maintenance;

import org.jspecify.annotations.NullMarked;
