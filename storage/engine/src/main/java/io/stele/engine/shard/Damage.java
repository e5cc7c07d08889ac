package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import java.util.Objects;
import java.util.Optional;

/**
 * A report, for status and monitoring, of stored data that cannot be used and is set aside so that
 * the rest stays available.
 *
 * @param shard the shard that is affected; empty: no table can be loaded at all
 * @param table the table whose part of the shard is neither read nor written; empty: the shard as a
 *     whole
 * @param object the path of the object, or a name for it
 * @param reason what was expected, and what was found
 * @param sinceMillis when this engine found it, in epoch milliseconds
 */
public record Damage(
        Optional<ShardId> shard,
        Optional<TableId> table,
        String object,
        String reason,
        long sinceMillis) {
    public Damage {
        requireNonNull(shard, "shard is null");
        requireNonNull(table, "table is null");
        requireNonNull(object, "object is null");
        requireNonNull(reason, "reason is null");
    }

    /** The damage of a table in a shard, with the message of a failure as its reason. */
    public static Damage of(
            ShardId shard, TableId table, String object, Exception cause, long sinceMillis) {
        return new Damage(
                Optional.of(shard),
                Optional.of(table),
                object,
                Objects.toString(cause.getMessage(), cause.toString()),
                sinceMillis);
    }
}
