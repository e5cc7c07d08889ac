package io.stele.sidecar.access;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.airlift.log.Logger;
import io.stele.protocol.SteleException;
import io.stele.sidecar.settings.JsonSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A file of access rules, which is read again after a change, on the thread of the first caller
 * after each period. Other callers use the present rules meanwhile. A wrong file is logged as an
 * error once, and the present rules remain. Thread-safe.
 */
final class RulesFile {
    private static final Logger log = Logger.get(RulesFile.class);
    private static final String WHAT = "access control rules";

    private final Path file;
    private final String catalog;
    private final long periodNanos;
    private final LongSupplier nanoTime;
    private final AtomicLong lookedNanos;
    private volatile Version version;

    @GuardedBy("this")
    private byte[] seen;

    @GuardedBy("this")
    private String failure = "";

    /** The rules, and the number of their version, from 1. */
    record Version(long number, AccessRules rules) {}

    /**
     * @param catalog the name of the tables' catalog in Trino
     * @throws SteleException INVALID_ARGUMENT if the file is wrong; the message names the place
     */
    RulesFile(Path file, String catalog, Duration period, LongSupplier nanoTime) {
        this.file = requireNonNull(file, "file is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.periodNanos = period.toNanos();
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.lookedNanos = new AtomicLong(nanoTime.getAsLong());
        this.seen = JsonSettings.content(file, WHAT);
        this.version = new Version(1, AccessRulesReader.read(file, seen, catalog));
    }

    Version current() {
        long now = nanoTime.getAsLong();
        long looked = lookedNanos.get();
        if (now - looked >= periodNanos && lookedNanos.compareAndSet(looked, now)) {
            look();
        }
        return version;
    }

    private synchronized void look() {
        try {
            byte[] content = JsonSettings.content(file, WHAT);
            if (!Arrays.equals(content, seen)) {
                seen = content;
                version =
                        new Version(
                                version.number() + 1,
                                AccessRulesReader.read(file, content, catalog));
                log.info("Took new access control rules from %s", file);
            }
            failure = "";
        } catch (SteleException wrong) {
            String message = String.valueOf(wrong.getMessage());
            if (!message.equals(failure)) {
                failure = message;
                log.error("Going on with the access control rules as they were: %s", message);
            }
        }
    }
}
