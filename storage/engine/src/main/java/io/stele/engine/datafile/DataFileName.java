package io.stele.engine.datafile;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of an object of a data file, as engines ({@link FileIds}) and workers give them. It
 * begins with the epoch of the engine that named the file.
 *
 * @param writer of a worker's file the id of its transaction, else the file's own id
 * @param epoch of the engine that named the file
 * @param isWorkers whether a worker, or a bulk load, wrote the file in a transaction
 * @param deletesEpoch of a deletion vector the epoch of the engine that wrote it, which may be
 *     later than that of the file; empty: the object is no deletion vector
 */
public record DataFileName(
        String writer, long epoch, boolean isWorkers, OptionalLong deletesEpoch) {
    private static final Pattern NAME =
            Pattern.compile(
                    "(?<writer>(?<epoch>[0-9a-f]{1,16})-[0-9a-f]{1,16}(-[0-9a-f]{1,16})?)(?<worker>_)?.*?"
                            + "(\\.dv-(?<deletes>[0-9a-f]{1,16})-[0-9a-f]{1,16})?");

    public DataFileName {
        requireNonNull(writer, "writer is null");
        requireNonNull(deletesEpoch, "deletesEpoch is null");
    }

    /** Parses the last component of a path; empty if it is no such name. */
    public static Optional<DataFileName> parse(String path) {
        Matcher name = NAME.matcher(path.substring(path.lastIndexOf('/') + 1));
        if (!name.matches()) {
            return Optional.empty();
        }
        String deletes = name.group("deletes");
        return Optional.of(
                new DataFileName(
                        name.group("writer"),
                        parseEpoch(name.group("epoch")),
                        name.group("worker") != null,
                        deletes == null
                                ? OptionalLong.empty()
                                : OptionalLong.of(parseEpoch(deletes))));
    }

    private static long parseEpoch(String hexadecimal) {
        return Long.parseUnsignedLong(hexadecimal, 16);
    }

    /** The epoch of the engine that named the object. */
    public long objectEpoch() {
        return deletesEpoch.orElse(epoch);
    }

    /**
     * The path of an object up to the first dot in its name, which all objects of one data file
     * share.
     */
    public static String stem(String path) {
        int dot = path.indexOf('.', path.lastIndexOf('/') + 1);
        return dot < 0 ? path : path.substring(0, dot);
    }
}
