package io.stele.flink.source;

import io.stele.flink.option.SteleOptions;
import io.stele.flink.table.TableBuilder;
import io.stele.protocol.predicate.ScanPredicate;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.apache.flink.table.api.ValidationException;

/**
 * A builder of sources for DataStream programs. {@code endpoints}, {@code secret} and {@code table}
 * must be given. Confined to one thread.
 */
public final class SteleSourceBuilder extends TableBuilder<SteleSourceBuilder> {
    SteleSourceBuilder() {}

    @Override
    protected SteleSourceBuilder self() {
        return this;
    }

    /**
     * Asks a sidecar for the table, and makes a source of all its rows at the snapshot of the
     * moment when the job starts.
     *
     * @throws ValidationException what must be given was not, or is wrong; there is no such table
     *     or column; or no sidecar answers
     */
    public SteleSource build() {
        Duration ttl = SteleOptions.snapshotTtl(config());
        if (config().getOptional(SteleOptions.SCAN_STARTUP_MODE).isPresent()) {
            throw new ValidationException(
                    "Expected no '%s' of a bounded source, found it: a SteleChangeSource has changes"
                            .formatted(SteleOptions.SCAN_STARTUP_MODE.key()));
        }
        return new SteleSource(
                ScanTarget.of(bind(), List.of(), ScanPredicate.ALL, OptionalLong.empty(), ttl));
    }
}
