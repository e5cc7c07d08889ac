package io.stele.benchmarks.chaos;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.sql.SQLException;

/**
 * A classification of failed statements by their exceptions: certain refusals, codes for the
 * report, and internal failures that are violations. Stateless.
 */
final class Failures {
    // Trino's codes by type, and those of Stele's connector (SteleErrorCode)
    private static final int INTERNAL_CODES = 0x0001_0000;
    private static final int RESOURCE_CODES = 0x0002_0000;
    private static final int STELE_CODES = 0x0534_0000;
    private static final int STELE_CORRUPT_DATA = STELE_CODES + 3;
    private static final int STELE_INTERNAL = STELE_CODES + 8;

    // Start of the client's message for a broken connection, when the server sent no reason
    private static final String BROKEN_CALL = "Flight call to ";

    private Failures() {}

    /** Whether it is certain that the statement did nothing. */
    static boolean isRefusal(Exception failure) {
        return switch (failure) {
            // An attempt before it may have been answered to nobody, when the clock was right
            case SteleException stele ->
                    stele.code().category() == ErrorCode.Category.USER
                            && stele.code() != ErrorCode.UNAUTHENTICATED;
            case SQLException sql -> sql.getErrorCode() > 0 && sql.getErrorCode() < INTERNAL_CODES;
            default -> false;
        };
    }

    /** The name under which the report counts it. */
    static String code(Exception failure) {
        return switch (failure) {
            case SteleException stele -> stele.code().name();
            case SQLException sql ->
                    sql.getErrorCode() >= STELE_CODES
                            ? "STELE+" + (sql.getErrorCode() - STELE_CODES)
                            : Integer.toString(sql.getErrorCode());
            default -> failure.getClass().getSimpleName();
        };
    }

    /** Reports a failure that no fault around the servers excuses. */
    static void report(String client, String what, Exception failure, Findings findings) {
        boolean isOurs =
                switch (failure) {
                    case SteleException stele ->
                            (stele.code() == ErrorCode.INTERNAL
                                            || stele.code() == ErrorCode.CORRUPT_DATA)
                                    && !String.valueOf(stele.getMessage()).startsWith(BROKEN_CALL)
                                    && !isInterrupt(stele);
                    case SQLException sql ->
                            sql.getErrorCode() >= INTERNAL_CODES
                                            && sql.getErrorCode() < RESOURCE_CODES
                                    || sql.getErrorCode() == STELE_CORRUPT_DATA
                                    || sql.getErrorCode() == STELE_INTERNAL;
                    default -> true;
                };
        if (isOurs) {
            findings.violation(client, "internal failure of %s: %s".formatted(what, failure));
        }
    }

    // A deadline that has passed is reported by itself
    private static boolean isInterrupt(SteleException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof InterruptedException) {
                return true;
            }
        }
        return false;
    }
}
