package io.stele.engine.recovery;

import io.stele.protocol.ShardId;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parser of the names of shards' folders in the store, which {@link ShardId#toString} writes.
 */
final class ShardNames {
    private static final Pattern NAME =
            Pattern.compile("(?<group>[0-9]{1,10})-(?<index>[0-9]{1,10})");

    private ShardNames() {}

    /** The shard of a name; empty if the name is no shard's. */
    static Optional<ShardId> parse(String name) {
        Matcher parts = NAME.matcher(name);
        if (!parts.matches()) {
            return Optional.empty();
        }
        long group = Long.parseLong(parts.group("group"));
        long index = Long.parseLong(parts.group("index"));
        if (group > Integer.MAX_VALUE || index > Integer.MAX_VALUE) {
            return Optional.empty();
        }
        return Optional.of(new ShardId((int) group, (int) index))
                .filter(shard -> shard.toString().equals(name)); // not 01-1
    }
}
