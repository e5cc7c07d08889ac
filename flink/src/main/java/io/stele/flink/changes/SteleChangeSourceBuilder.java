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
 * A builder of sources of changes for DataStream programs. {@code endpoints}, {@code secret} and
 * {@code table} must be given. Confined to one thread.
 */
public final class SteleChangeSourceBuilder extends TableBuilder<SteleChangeSourceBuilder> {
    private List<ChangeMetadata> metadata = List.of();
    private boolean hasCheckpoints = true;

    SteleChangeSourceBuilder() {}

    /** Where the changes begin; without a call the rows of a snapshot come first. */
    public SteleChangeSourceBuilder startupMode(StartupMode mode) {
        requireNonNull(mode, "mode is null");
        return option(SteleOptions.SCAN_STARTUP_MODE.key(), mode.toString());
    }

    /** Whether the row before an update comes as well, as it does without a call. */
    public SteleChangeSourceBuilder beforeImages(boolean wanted) {
        return option(SteleOptions.SCAN_BEFORE_IMAGES.key(), Boolean.toString(wanted));
    }

    /** The metadata that rows have behind their columns, in this order; without a call none. */
    public SteleChangeSourceBuilder metadata(ChangeMetadata... wanted) {
        metadata = List.of(wanted);
        return this;
    }

    /**
     * Whether the job makes checkpoints, as is expected without a call. One that makes none must
     * say so, or the history since its start is retained for as long as it lives.
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
     * Asks a sidecar for the table, and makes a source of its changes.
     *
     * @throws ValidationException what must be given was not, or is wrong; there is no such table
     *     or column; or no sidecar answers
     */
    public SteleChangeSource build() {
        StartupMode mode =
                config().getOptional(SteleOptions.SCAN_STARTUP_MODE).orElse(StartupMode.INITIAL);
        FeedOptions options = FeedOptions.of(config(), mode);
        return new SteleChangeSource(new ChangeTarget(bind(), metadata, options), hasCheckpoints);
    }
}
