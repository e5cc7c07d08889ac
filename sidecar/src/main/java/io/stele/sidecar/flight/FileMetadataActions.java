package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import io.stele.columnfile.metadata.FileMetadata;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.Actions;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.scan.EncodedFileMetadata;
import io.stele.protocol.api.scan.FileMetadataRequest;
import io.stele.sidecar.engine.EngineService;
import java.util.Map;

/**
 * The Flight actions that read and add the cached metadata of recently written column files, in
 * memory only. Thread-safe.
 */
final class FileMetadataActions {
    private static final byte[] NONE = {};

    private final EngineService engine;

    FileMetadataActions(EngineService engine) {
        this.engine = requireNonNull(engine, "engine is null");
    }

    Map<String, ActionHandler> handlers() {
        return ImmutableMap.of(
                Actions.FILE_METADATA,
                ActionHandler.of(
                        "Gives the metadata of a column file that was written lately",
                        FileMetadataRequest.class,
                        this::find),
                Actions.KEEP_FILE_METADATA,
                ActionHandler.of(
                        "Keeps the metadata of a column file that the caller wrote",
                        EncodedFileMetadata.class,
                        this::keep));
    }

    private Object find(FileMetadataRequest request) {
        return new EncodedFileMetadata(
                request.path(), engine.engine().fileMetadata(request.path()).orElse(NONE));
    }

    private Object keep(EncodedFileMetadata metadata) {
        int most = FileMetadata.MAX_BYTES;
        if (metadata.content().length > most) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected at most %d bytes of metadata, found %d for %s"
                            .formatted(most, metadata.content().length, metadata.path()));
        }
        FileMetadata.decode(metadata.path(), metadata.content());
        engine.engine().keepFileMetadata(metadata.path(), metadata.content());
        return Done.DONE;
    }
}
