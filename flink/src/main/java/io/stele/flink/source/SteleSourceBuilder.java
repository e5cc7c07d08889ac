package io.stele.flink.source;

import io.stele.flink.option.SteleOptions;
import io.stele.flink.table.TableBuilder;
import io.stele.protocol.predicate.ScanPredicate;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.apache.flink.table.api.ValidationException;

/**
 * A builder of bounded sources for DataStream programs. It requires {@code endpoints}, {@code
 * secret} and {@code table}. Confined to one thread.
 */
public final class SteleSourceBuilder extends TableBuilder<SteleSourceBuilder> {
    SteleSourceBuilder() {}

    @Override
    protected SteleSourceBuilder self() {
        return this;
    }

    /**
     * Asks a sidecar for the table, and builds a source of all its rows; blocks. The snapshot is
     * opened when the job starts.
     *
     * @throws ValidationException a required option is missing or wrong; there is no such table or
     *     column; or no sidecar answers
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
