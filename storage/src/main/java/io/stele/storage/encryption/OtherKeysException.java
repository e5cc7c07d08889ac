package io.stele.storage.encryption;

/**
 * The cause of a CORRUPT_DATA that may be no damage of what is there: the master keys are not those
 * that it was written with, or there are none, or none were expected.
 */
public final class OtherKeysException extends Exception {
    private static final long serialVersionUID = 1;

    OtherKeysException() {
        super("other master keys");
    }

    OtherKeysException(Throwable cause) {
        super("other master keys", cause);
    }
}
