package io.stele.engine.recovery;

import io.stele.protocol.ShardId;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names of folders that are a shard's, as {@link ShardId#toString} writes them. */
final class ShardNames {
    private static final Pattern NAME =
            Pattern.compile("(?<group>[0-9]{1,10})-(?<index>[0-9]{1,10})");

    private ShardNames() {}

    /** The shard of a name; empty if the name is another kind. */
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
