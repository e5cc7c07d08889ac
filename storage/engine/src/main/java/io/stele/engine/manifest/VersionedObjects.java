package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.objectstore.ConditionalCreate;
import io.stele.objectstore.NumberedName;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.SchemaJson;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.ToIntFunction;

/**
 * A store of the numbered versions of one value, for which several processes may compete. Each
 * version is an object {@code <prefix><version as 20 digits>} that is created if absent and never
 * changed. The highest version is the current version.
 *
 * <p>Invariant: of all processes that try to create a version, one succeeds; the others learn that
 * they lost. Invariant: the current version and the {@code kept - 1} before it are never deleted.
 *
 * <p>Thread-safe; every method blocks on the store.
 */
public final class VersionedObjects<T> {
    /** A value and its version. */
    public record Versioned<T>(long version, T value) {
        public Versioned {
            requireNonNull(value, "value is null");
        }
    }

    /**
     * The number of attempts to load the newest version: an attempt only fails if another process
     * deletes the version during the read.
     */
    private static final int MAX_LOAD_ATTEMPTS = 10;

    /** A store that failed three times in a row is not going to answer the fourth call. */
    private static final int MAX_CREATE_ATTEMPTS = 3;

    private final ObjectStore store;
    private final String prefix;
    private final VersionedFrame frame;
    private final Class<T> type;
    private final UUID writerId;
    private final int kept;
    private final ToIntFunction<T> formatOf;
    private final ObjectMapper mapper = SchemaJson.mapper();

    /**
     * @param prefix path of the folder, with its slash
     * @param writerId of this process start: after an unknown outcome it distinguishes a version
     *     created here from another process's version
     * @param kept the number of newest versions that {@link #deleteOld} retains, at least 1
     */
    VersionedObjects(
            ObjectStore store,
            String prefix,
            VersionedFrame frame,
            Class<T> type,
            UUID writerId,
            int kept) {
        this(store, prefix, frame, type, writerId, kept, _ -> frame.formatVersion());
    }

    /**
     * @param formatOf returns the format version that a release must support to read a value
     */
    VersionedObjects(
            ObjectStore store,
            String prefix,
            VersionedFrame frame,
            Class<T> type,
            UUID writerId,
            int kept,
            ToIntFunction<T> formatOf) {
        this.formatOf = requireNonNull(formatOf, "formatOf is null");
        this.store = requireNonNull(store, "store is null");
        this.prefix = requireNonNull(prefix, "prefix is null");
        this.frame = requireNonNull(frame, "frame is null");
        this.type = requireNonNull(type, "type is null");
        this.writerId = requireNonNull(writerId, "writerId is null");
        if (kept < 1) {
            throw new IllegalArgumentException("Expected at least 1 kept version, found " + kept);
        }
        this.kept = kept;
    }

    /**
     * The versions of the catalog.
     *
     * @param formatOf returns the format version that a release must support to read a value
     */
    public static <T> VersionedObjects<T> catalog(
            ObjectStore store, Class<T> type, UUID writerId, int kept, ToIntFunction<T> formatOf) {
        return new VersionedObjects<>(
                store, "catalog/", VersionedFrame.CATALOG, type, writerId, kept, formatOf);
    }

    /** The versions of the object that names the warehouse's log. */
    public static <T> VersionedObjects<T> namedLog(
            ObjectStore store, Class<T> type, UUID writerId, int kept) {
        return new VersionedObjects<>(
                store, "named-log/", VersionedFrame.NAMED_LOG, type, writerId, kept);
    }

    /** The path of a version. */
    public String path(long version) {
        return prefix + NumberedName.of(version);
    }

    /** The newest existing version number. */
    public OptionalLong latestVersion() throws IOException {
        List<Long> versions = versions();
        return versions.isEmpty() ? OptionalLong.empty() : OptionalLong.of(versions.getLast());
    }

    /** The existing version numbers before the newest, ascending. */
    public List<Long> versionsBeforeLatest() throws IOException {
        List<Long> versions = versions();
        return versions.isEmpty() ? versions : versions.subList(0, versions.size() - 1);
    }

    /** The newest version; empty if there is none. */
    public Optional<Versioned<T>> latest() throws IOException {
        for (int attempt = 1; ; attempt++) {
            OptionalLong version = latestVersion();
            if (version.isEmpty()) {
                return Optional.empty();
            }
            try {
                return Optional.of(new Versioned<>(version.getAsLong(), load(version.getAsLong())));
            } catch (NoSuchFileException e) {
                // Deleted between the listing and the read, so there are newer ones.
                if (attempt == MAX_LOAD_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    public T load(long version) throws IOException {
        String path = path(version);
        byte[] body = frame.decode(store.describe(path), version, store.readFully(path));
        try {
            return mapper.readValue(body, type);
        } catch (JsonProcessingException e) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected the JSON of a %s, found: %s in %s at offset %d"
                            .formatted(
                                    type.getSimpleName(),
                                    e.getOriginalMessage(),
                                    store.describe(path),
                                    VersionedFrame.HEADER_LENGTH),
                    e);
        }
    }

    /**
     * Creates a version, durable when the call returns.
     *
     * @return false if another writer has already created it
     * @throws IOException if the store failed and the outcome is unknown
     */
    public boolean create(long version, T value) throws IOException {
        byte[] content =
                frame.encode(formatOf.applyAsInt(value), version, writerId, serialize(value));
        return ConditionalCreate.create(store, path(version), content, MAX_CREATE_ATTEMPTS)
                == ConditionalCreate.Outcome.CREATED;
    }

    /**
     * As {@link #create}, also for versions that other processes delete: a name may be free because
     * others have created much newer versions and deleted it. Then the newest version, which is
     * never deleted, is higher.
     *
     * @return false if another writer has already created it or a later version
     */
    public boolean createNewest(long version, T value) throws IOException {
        return create(version, value) && latestVersion().orElse(version) == version;
    }

    /** Deletes all but the newest {@code kept} versions. */
    public void deleteOld() throws IOException {
        deleteBefore(versions());
    }

    /**
     * As {@link #deleteOld}.
     *
     * @return the oldest remaining version; empty if there is none
     */
    OptionalLong deleteAllButKept() throws IOException {
        List<Long> versions = versions();
        deleteBefore(versions);
        return versions.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(versions.get(Math.max(0, versions.size() - kept)));
    }

    private void deleteBefore(List<Long> versions) throws IOException {
        for (int i = 0; i < versions.size() - kept; i++) {
            store.delete(path(versions.get(i)));
        }
    }

    /** All version numbers, ascending; objects with other names are ignored. */
    private List<Long> versions() throws IOException {
        List<Long> versions = new ArrayList<>();
        for (ObjectEntry entry : store.list(prefix)) {
            NumberedName.parse(entry.path().substring(prefix.length())).ifPresent(versions::add);
        }
        versions.sort(null);
        return versions;
    }

    private byte[] serialize(T value) {
        try {
            return mapper.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new SteleException(
                    ErrorCode.INTERNAL, "Cannot write the JSON of a " + type.getSimpleName(), e);
        }
    }
}
