package io.stele.flink.changes;

import static java.util.Objects.requireNonNull;

import io.stele.flink.option.FeedOptions;
import io.stele.flink.option.StartupMode;
import io.stele.flink.option.SteleOptions;
import io.stele.flink.table.ChangeMetadata;
import io.stele.flink.table.TableBuilder;
import java.util.List;
import org.apache.flink.table.api.ValidationException;

/**
 * A builder of change sources for DataStream programs. It requires {@code endpoints}, {@code
 * secret} and {@code table}. Confined to one thread.
 */
public final class SteleChangeSourceBuilder extends TableBuilder<SteleChangeSourceBuilder> {
    private List<ChangeMetadata> metadata = List.of();
    private boolean hasCheckpoints = true;

    SteleChangeSourceBuilder() {}

    /** Sets where the changes begin. The default is a snapshot of all rows first. */
    public SteleChangeSourceBuilder startupMode(StartupMode mode) {
        requireNonNull(mode, "mode is null");
        return option(SteleOptions.SCAN_STARTUP_MODE.key(), mode.toString());
    }

    /** Sets whether an update also emits the row before it. The default is true. */
    public SteleChangeSourceBuilder beforeImages(boolean wanted) {
        return option(SteleOptions.SCAN_BEFORE_IMAGES.key(), Boolean.toString(wanted));
    }

    /** Sets the metadata columns after the table's columns, in this order. The default is none. */
    public SteleChangeSourceBuilder metadata(ChangeMetadata... wanted) {
        metadata = List.of(wanted);
        return this;
    }

    /**
     * Sets whether the job makes checkpoints. The default is true. A job without checkpoints must
     * set false; otherwise the history since its start is retained as long as it runs.
     */
    public SteleChangeSourceBuilder checkpoints(boolean expected) {
        hasCheckpoints = expected;
        return this;
    }

    @Override
    protected SteleChangeSourceBuilder self() {
        return this;
    }

    /**
     * Asks a sidecar for the table, and builds a source of its changes; blocks.
     *
     * @throws ValidationException a required option is missing or wrong; there is no such table or
     *     column; or no sidecar answers
     */
    public SteleChangeSource build() {
        StartupMode mode =
                config().getOptional(SteleOptions.SCAN_STARTUP_MODE).orElse(StartupMode.INITIAL);
        FeedOptions options = FeedOptions.of(config(), mode);
        return new SteleChangeSource(new ChangeTarget(bind(), metadata, options), hasCheckpoints);
    }
}
