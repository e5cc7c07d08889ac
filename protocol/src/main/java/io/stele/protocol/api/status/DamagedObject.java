package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ShardId;
import java.util.Optional;

/**
 * A report of a damaged stored object because of which a table or a shard does not serve, in status
 * replies.
 *
 * @param object path of the object, or another name for it
 * @param table schema and name of the table that is set aside; empty if all tables of the shard are
 * @param state {@link #TABLE_SET_ASIDE} or {@link #SHARD_STOPPED}
 * @param reason what was expected, and what was found
 * @param sinceMillis time at which the sidecar found the damage, in epoch milliseconds
 */
public record DamagedObject(
        String object,
        Optional<String> table,
        Optional<ShardId> shard,
        String state,
        String reason,
        long sinceMillis) {
    public static final String TABLE_SET_ASIDE = "table set aside";
    public static final String SHARD_STOPPED = "shard stopped";
    public static final String NOTHING_KNOWN = "no table known";

    public DamagedObject {
        requireNonNull(object, "object is null");
        requireNonNull(table, "table is null");
        requireNonNull(shard, "shard is null");
        requireNonNull(state, "state is null");
        requireNonNull(reason, "reason is null");
    }
}
