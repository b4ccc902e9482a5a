import type { IssueMessages } from '../issues';

export const issues = {
  // Was etwas sein muss.
  object: 'ein Objekt',
  boolean: 'true oder false',
  string: 'eine Zeichenkette',
  'short-string': 'eine Zeichenkette mit höchstens {max} Zeichen',
  'short-text': 'eine Zeichenkette mit höchstens {max} Bytes in UTF-8',
  'non-empty-string': 'eine Zeichenkette, die nicht leer ist',
  choice: '"{choice}"',
  choices: '"{choice}" oder {other}',
  'integer-from': 'eine ganze Zahl von mindestens {min}',
  'integer-range': 'eine ganze Zahl von {min} bis {max}',
  'number-range': 'eine Zahl von {min} bis {max}',
  'positive-number': 'eine Zahl größer als 0 und höchstens {max}',
  'finite-number': 'eine endliche Zahl',
  uint64: 'eine Zeichenkette mit einer vorzeichenlosen ganzen 64-Bit-Dezimalzahl',
  int64: 'eine Zeichenkette mit einer vorzeichenbehafteten ganzen 64-Bit-Dezimalzahl',
  positive: 'größer als 0 und endlich',
  'positive-up-to': 'größer als 0 und höchstens {max}',
  'positive-for-estimate': 'größer als 0 (bei 0 sind die Ausgaben nichts als Rauschen)',
  'exact-number': 'eine Zahl oder eine Zeichenkette mit einem Dezimalbruch oder Bruch',
  list: 'eine Liste',
  pair: 'eine Liste mit zwei Einträgen',
  'distinct-numbers': 'eine Liste verschiedener Zahlen',
  'one-of': 'einer der Werte {values}',
  'one-of-values': 'einer von values ({values})',
  'not-negative-for-poisson': 'für den Verlust "poisson" mindestens 0',
  'finite-variance': 'so groß, dass die Varianz kleiner als 1,8e308 ist',
  'above-tau': 'größer als tau ({tau}) und endlich',
  'probability-per-state': 'eine Liste mit einer Wahrscheinlichkeit für jeden der {states} Zustände',
  'key-piece': 'eine Zeichenkette aus "0x" und 1 bis 32 Hexadezimalziffern',
  'filtering-id': 'kleiner als 256^{bytes} (aggregatable_filtering_id_max_bytes)',
  destination: 'eine URL mit https (oder mit http auf localhost)',
  sites: 'eine Website oder eine Liste von Websites',
  site: 'eine Website wie https://shop.example',
  'site-of-report': 'eine Website mit https (oder mit http auf localhost) wie "https://shop.example"',
  'sites-of-report': 'eine Website wie "https://shop.example" oder eine Liste von zwei oder drei',
  'secure-site': 'eine Website mit https (oder mit http auf localhost)',
  'site-name': 'der Name einer Website wie shop.example',
  origin: 'ein Ursprung mit https (oder mit http auf localhost)',
  'origin-or-null': 'null oder ein Ursprung mit https (oder mit http auf localhost)',
  'match-pattern': 'ein Muster für Adressen wie https://shop.example/thanks*',
  time: 'eine Zeitangabe wie 2027-03-31T18:00:00Z',
  'time-or-milliseconds':
    'eine Zahl von Millisekunden seit 1970 oder eine Zeit nach ISO 8601 mit Zeitzone wie "2026-01-31T12:00:00Z"',
  'not-seconds':
    'eine Zahl von Millisekunden seit 1970 (eine Zahl mit 10 Stellen sieht nach Sekunden aus: hängen Sie 000 an)',
  'epoch-seconds': 'eine Zeichenkette mit ganzen Sekunden seit 1970',
  'epoch-milliseconds': 'eine Zeichenkette mit Millisekunden seit 1970',
  'recent-time': 'eine Zeit ab 2020, die höchstens ein Jahr in der Zukunft liegt,',
  'source-time':
    'der Zeitpunkt der Registrierung, frühestens 2020 und höchstens ein Jahr in der Zukunft (ein Datum von 1970 bedeutet meist, dass eine Zahl in einer anderen Einheit gelesen wurde; collect --rehearsal nimmt jede spätere Zeit an),',
  'trial-id': 'ein Name aus höchstens 64 der Zeichen a-z, 0-9, ".", "_" und "-", etwa "ad-recall-2027"',
  'string-with-count': 'eine Zeichenkette mit einer positiven ganzen Zahl',
  'string-with-bits': 'eine Zeichenkette mit einer Anzahl von Bits',
  'one-character': 'ein einzelnes Zeichen',
  'known-in-time': 'eine Spalte, die vor dem Label bekannt ist',
  uuid: 'eine UUID in Kleinbuchstaben',
  base64: 'eine Zeichenkette in Base64',
  base64url: '{count, plural, one {# Byte} other {# Bytes}} in Base64 für URLs, ohne Auffüllung',
  bytes: '{count} Bytes',
  'token-key':
    'ein RSA-Schlüssel mit 2048 Bits in Base64 für URLs, wie cointoss trial --new-token-keys ihn schreibt',
  'sealing-key':
    'ein öffentlicher Schlüssel für X25519 (kein Punkt kleiner Ordnung, für den sich nichts versiegeln lässt)',
  'bytes-up-to': '1 bis {max} Bytes',
  payload: 'eine Nutzlast in CBOR',
  'bucket-bounds': 'eine Liste aus der ersten und der letzten Summe des Buckets in dieser Reihenfolge',
  'feature-name': 'ein Name aus Unicode-Text ohne U+0000',
  'feature-value': 'eine Zeichenkette aus Unicode-Text ohne U+0000, eine Zahl, true, false oder null',
  'json-registration': 'eine Source-Registrierung als Objekt oder als Zeichenkette mit JSON',
  'same-as-registration': 'was die Registrierung angibt ({other}), oder dort fehlen',
  'same-configuration': 'die Konfiguration, die sich aus den anderen Feldern der Zeile ergibt ({id}),',
  'known-configuration':
    'die id einer Konfiguration, die gespeichert ist oder die eine frühere Zeile ergibt,',

  // Was falsch ist.
  'must-be': 'muss {what} sein, war {was}',
  ignored: '{problem} (wird ignoriert)',
  'not-csv':
    'muss eine Tabellenzeile sein: mit so vielen Zellen wie die erste, und jedes Anführungszeichen muss geschlossen sein',
  'not-json': 'muss JSON sein: {problem}',
  'not-utf-8': 'muss UTF-8 sein, und ist es ab Zeichen {column} nicht',
  'header-twice':
    'darf in einer Antwort nur einmal stehen, stand mehrmals da (die Werte sind mit Kommas verbunden)',
  'json-syntax': `Zeile {line}, Spalte {column}: {error, select,
    InvalidSymbol {ein Wort, das es in JSON nicht gibt}
    InvalidNumberFormat {keine Zahl in der Form von JSON}
    PropertyNameExpected {ein Name in doppelten Anführungszeichen fehlt}
    ValueExpected {ein Wert fehlt}
    ColonExpected {":" fehlt nach einem Namen}
    CommaExpected {"," fehlt zwischen zwei Einträgen}
    CloseBraceExpected {"'}'" fehlt am Ende eines Objekts}
    CloseBracketExpected {"]" fehlt am Ende einer Liste}
    EndOfFileExpected {nach dem Ende des Werts darf nichts mehr kommen}
    InvalidCommentToken {Kommentare gehören nicht zu JSON}
    UnexpectedEndOfComment {ein Kommentar endet nicht}
    UnexpectedEndOfString {eine Zeichenkette endet nicht: doppelte Anführungszeichen fehlen}
    UnexpectedEndOfNumber {eine Zahl endet zu früh}
    InvalidUnicode {keine vier hexadezimalen Ziffern nach "\\u"}
    InvalidEscapeCharacter {"\\" vor einem Zeichen, zu dem es nicht gehört}
    InvalidCharacter {ein Steuerzeichen, das maskiert werden muss}
    other {kein JSON ({error})}}`,
  'json-blank': 'mehr als {max} Leerzeichen hintereinander',
  'json-depth': 'mehr als {max} Ebenen tief verschachtelt',
  'json-engine': 'dieser Browser kann es nicht lesen',
  'json-number': 'Zeile {line}, Spalte {column}: eine Zahl über 1,8e308',
  'too-long': 'darf höchstens {max} Zeichen lang sein, war {length}',
  'cut-header': 'war {length} Zeichen lang; das Protokoll hat nur die ersten {kept}',
  'more-issues': '{count, plural, one {# weiterer ist} other {# weitere sind}} nicht aufgeführt',
  'not-a-dictionary': 'muss ein strukturiertes Wörterbuch (Structured Dictionary) sein: {problem}',
  'not-a-platform': 'muss das Token web oder os sein',
  'not-a-flag': 'muss ein Wahrheitswert (?1 oder ?0) sein',
  'unknown-field': 'ist hier kein bekanntes Feld',
  'missing-field': 'muss das Feld "{name}" haben',
  'missing-fields': 'muss das Feld "{name}" oder "{other}" haben',
  'repeated-field': 'steht zweimal da; das spätere zählt',
  'field-twice': 'darf nur einmal dastehen, steht zweimal da',
  'field-beside': 'darf nicht neben "{other}" stehen',
  'uncapped-method':
    'muss bei der Methode {method} "per-cap" oder "random-cap" sein, weil ihr Rauschen nur "caps" Beispiele einer Einheit verbirgt, war "per-count", wobei alle teilnehmen',
  'too-few-items':
    'muss mindestens {min, plural, one {{min} Eintrag} other {{min} Einträge}} haben, hat {count}',
  'too-many-items':
    'darf höchstens {max, plural, one {{max} Eintrag} other {{max} Einträge}} haben, hat {count}',
  'too-many-to-solve':
    'darf hier höchstens {max, plural, one {{max} Eintrag} other {{max} Einträge}} haben, weil Geräte und Collectors das Rauschen des erwartungstreuen Mechanismus in Sekunden finden müssen (sample und learn nehmen mehr an), hat {count}',
  'too-many-keys': 'darf höchstens {max} Schlüssel haben, hat {count}',
  'too-many-values': 'darf höchstens {max} verschiedene Werte haben, hat {count}',
  'repeated-item': 'darf {item} nicht wiederholen',
  'repeated-value': 'ist eine Wiederholung und zählt einmal',
  'unknown-debug-data': 'ist keine bekannte Art von Debug-Daten',
  'long-key': 'muss unter einem Schlüssel mit höchstens {max} Bytes in UTF-8 stehen, stand unter {key}',
  'campaign-key':
    'muss ein Schlüssel der Filterdaten sein, mit dem Quellen ihre Kampagne nennen können: nicht leer, nicht „arm“ oder „source_type“, und ohne „_“ am Anfang',
  'reserved-key': 'darf nicht mit "_" beginnen, das reserviert ist',
  'time-order': 'muss in zeitlicher Reihenfolge sein: {time} kommt nach {last}',
  'implied-field': 'versteht sich von selbst und darf nicht angegeben werden',
  'too-many-sites':
    'darf höchstens {max, plural, one {{max} Website} other {{max} Websites}} nennen, nennt {count}',
  clamped: 'liegt außerhalb des Bereichs und zählt als {seconds}',
  rounded: 'zählt als {seconds}, eine ganze Zahl von Tagen, weil der Quellentyp event ist',
  'ignored-url-parts': 'zählt als {site}: der Rest der URL wird ignoriert',
  'public-suffix': 'ist ein öffentliches Suffix: nur {site} selbst kann konvertieren, keine Website darunter',
  'unknown-source-type': 'passt auf keine Quelle: der Quellentyp ist "navigation" oder "event"',
  'window-order':
    'muss nach {begin} liegen, wo das Fenster beginnt, war nach Begrenzung auf den Bereich {end}',
  'too-much-trigger-data': 'darf insgesamt höchstens {max} Trigger-Daten enthalten, enthält {count}',
  'repeated-trigger-data': 'darf die Trigger-Daten {data} nicht zweimal enthalten',
  'trigger-data-gaps': 'muss 0, 1, … {last} sein, weil trigger_data_matching "modulus" ist, war {was}',
  'too-many-buckets': 'darf höchstens max_event_level_reports ({max}) Einträge haben, hat {count}',
  'bucket-beyond-conversions':
    'wird innerhalb eines Berichtsfensters nicht erreicht: eine Quelle behält höchstens {max, plural, one {# Conversion} other {# Conversions}} zugleich',
  'bucket-order': 'muss größer sein als {previous}, der Bucket davor, war {bucket}',
  'registration-time':
    'darf aggregatable_source_registration_time nicht zusammen mit trigger_context_id oder aggregatable_filtering_id_max_bytes auf "include" setzen',
  'over-contribution-budget': 'darf Beiträge von zusammen höchstens {max} haben, hat {sum}',

  // Was eine Quelle höchstens verraten darf.
  'trigger-state-cardinality':
    'darf höchstens {limit, plural, one {{limit} Zustand} other {{limit} Zustände}} haben, hat {count}',
  'channel-capacity':
    'darf eine Ausgabe von höchstens {limit} Bit haben, hat eine von {bits}{fitting, select, same {} other {; mit event_level_epsilon bis {fitting} passt sie}}',
  'event-states':
    'darf höchstens {limit, plural, one {{limit} Zustand} other {{limit} Zustände}} haben (max_event_states), hat {count}',
  'scopes-channel-capacity':
    'darf mit Attribution Scopes eine Ausgabe von höchstens {limit} Bit haben, hat eine von {count}',

  // Warum eine Antwort nichts registriert.
  'info-invalid': 'Attribution-Reporting-Info: {problems}',
  'source-and-trigger': 'die Antwort hat sowohl einen Source- als auch einen Trigger-Header',
  'not-eligible':
    'die Anfrage darf {eligibility, select, unset {keine Quelle registrieren: Ihr Element hat kein attributionsrc, oder ihr Skript hat es nicht verlangt} other {nicht registrieren ({eligibility})}}',
  'no-eligible-click': `{lack, select,
    attribute {der Link, der hierher führte, hat kein attributionsrc}
    elsewhere {der Link, der hierher führte, hat kein attributionsrc: Ein anderes Element hat es, im Link oder um ihn herum}
    feature {dem Aufruf von window.open, der hierher führte, fehlt das Feature attributionsrc}
    other {soweit Cointoss sah, führte kein Klick einer Person hierher: Vielleicht klickte ein Skript den Link oder änderte die Adresse, ein Formular wurde gesendet, oder dem Link oder dem Aufruf von window.open fehlt attributionsrc (im Debug-Modus lässt sich das oft unterscheiden)}}`,
  'trigger-on-redirect':
    'eine Umleitung auf dem Weg zu einer Seite gehört zu keiner Seite: Senden Sie den Trigger mit der Seite selbst oder mit einer Anfrage von ihr',
  'unknown-header': 'die Antwort hat den unbekannten Header {name}; gemeint ist vielleicht {meant}',
  'os-only': 'die Antwort registriert nur beim Betriebssystem',
  'no-preferred-platform': 'die Antwort hat einen Web- und einen OS-Header und zieht keinen von beiden vor',
  'os-preferred': 'die Antwort zieht das Betriebssystem vor, registriert aber nicht bei ihm',
  'no-reporting-origin': 'der Server hat über http geantwortet; nötig ist https, oder http auf localhost',
  'not-recorded': 'sie konnte nicht aufgezeichnet werden, weil Cointoss bei ihrer Verarbeitung versagte',
  'too-many':
    'die Website verlangte mehr Registrierungen, als Cointoss auf einmal bearbeitet: {count, plural, one {# wurde verworfen} other {# wurden verworfen}}',
  'too-many-messages':
    'die Seite oder ein Frame schickte mehr Nachrichten, als Cointoss in zehn Sekunden liest: {count, plural, one {# Nachricht wurde verworfen} other {# Nachrichten wurden verworfen}}',
  'no-room': 'die Website hat ihr Limit für gespeicherte Daten auf diesem Gerät erreicht',
  'page-unknown':
    'Cointoss weiß nicht, zu welcher Seite dies gehört oder was diese Seite erlaubt. Eine Seite, die schon vor der Aufzeichnung offen war, zählt, sobald sie neu geladen wird',
  'permissions-policy': 'die Permissions Policy der Seite oder eines Frames verbietet attribution-reporting',
  'no-navigation': 'auf den Klick folgte keine Navigation',
  'no-source-on-way':
    'der Klick darf eine Quelle registrieren, aber Cointoss sah auf seinem Weg keine Antwort mit dem Header Attribution-Reporting-Register-Source',
  'page-not-secure': 'die Seite wurde über http geladen; nötig ist https, oder http auf localhost',
  'not-shown': 'der Browser hat diese Seite im Voraus geladen, und niemand hat sie geöffnet',
  'eligibility-unknown':
    'Cointoss kann nicht feststellen, was die Seite diese Anfrage registrieren ließ: Es hat ihren Anfang nicht gesehen, oder ihre Kennzeichnung stammt nicht von der Seite',
  'other-scopes':
    'der meldende Ursprung hat für denselben Klick schon andere Attributionsbereiche registriert',
  'no-registration': `{redirects, plural, =0 {{status, plural,
      =0 {der Server hat nicht geantwortet: starten Sie ihn, oder berichtigen Sie die URL in attributionsrc}
      =404 {der Server hat mit dem Status 404 und ohne Registrierung geantwortet: berichtigen Sie die URL in attributionsrc}
      other {der Server hat mit dem Status {status} und ohne Registrierung geantwortet: er muss mit dieser Antwort einen Quellen- oder Trigger-Header senden}
    }} other {{status, plural,
      =0 {der Server, zu dem eine Umleitung führte, hat nicht geantwortet: starten Sie ihn, oder berichtigen Sie Location in der Umleitung}
      =404 {der Server, zu dem eine Umleitung führte, hat mit dem Status 404 und ohne Registrierung geantwortet: berichtigen Sie Location in der Umleitung}
      other {der Server, zu dem eine Umleitung führte, hat mit dem Status {status} und ohne Registrierung geantwortet: diese Antwort, oder eine Umleitung auf dem Weg zu ihr, muss einen Quellen- oder Trigger-Header haben}
    }}}`,
  'private-network':
    'die URL führt auf dieses Gerät oder in ein privates Netz, die Seite kommt von außerhalb (der Debug-Modus kann das erlauben)',
  'not-public':
    'der Browser hat nichts gesendet: Die URL führt auf dieses Gerät, in ein privates Netz oder zu einem Proxy, die Seite kommt von außerhalb (der Debug-Modus kann das erlauben)',

  // Einstellungen und Studien.
  'missing-selector': 'muss einen selector haben, weil on "{on}" ist',
  'unreadable-field': 'darf hier nicht stehen: das Feld kann nicht von einer Seite gelesen werden',
  'repeated-rule': 'darf nicht zwei Regeln mit der id "{id}" enthalten',
  'gap-without-reciprocal': 'darf gap nur mit dem score "reciprocal" haben',
  'gap-within-tau': 'muss mit dem score "reciprocal" ein gap haben, das größer als tau ({tau}) ist',
  'cap-of-impression':
    'muss bei der unit "impression", die schon eine einzige Impression ist, null als cap haben',
  'missing-cap':
    'muss bei einem epsilon für die unit "{unit}" ein cap haben: Jede Impression erhält epsilon/cap',
  'attribution-without-epsilon': 'muss ein epsilon haben, von dem attributionEpsilon ein Teil ist',
  'attribution-above-epsilon': 'muss ein attributionEpsilon unter epsilon ({epsilon}) haben',
  'delta-without-epsilon': 'muss ein epsilon haben, zu dem delta gehört',
  'joint-below-share':
    'muss mindestens so groß sein wie das, was eine Impression ausgibt, {share} (epsilon ohne attributionEpsilon, durch cap), war {was}: keine Impression würde zählen',
  'site-of-two-owners': 'darf {site} nicht zweimal nennen: Eine Berichtswebsite hat einen Eigentümer',
  'lift-test-without-budget':
    'muss bei einem Budget mit epsilon für die unit "user" oder "user-advertiser" stehen: Sonst verrieten mehrere Budgets denselben Arm, zusammen mehr als epsilon',
  'lift-test-with-aggregatable':
    'darf nicht bei aggregatableReports stehen: Die Zahl dieser Berichte ist nicht privat und könnte den Arm verraten',
  'lift-test-with-private-attribution':
    'darf nicht bei privater Attribution stehen: Was eine Wahl kostet, hinge vom Arm ab',
  'trial-without-joint':
    'muss sagen, was alle Berichte einer teilnehmenden Person allen zusammen in einem Zeitraum verraten dürfen, etwa \'{\'"epsilon": 4, "reportingSite": 2, "sourceSite": 2, "destination": 2\'}\'; docs/noise.md, „Budget“, erklärt es',
  'empty-text': 'darf kein leerer Text sein, war {was}',
  'too-many-languages': 'darf höchstens {max} Sprachen haben',
  'no-language': 'muss einen Text in mindestens einer Sprache haben, etwa \'{\'"de": "…"\'}\'',
  'not-a-language': 'muss das Kürzel einer Sprache sein, etwa "en" oder "pt-BR"',
  'end-before-start': 'muss nach start liegen',
  'periods-not-in-order': 'muss nach dem vorigen Zeitraum liegen',
  'tokens-without-collector': 'darf nicht ohne settings.collector stehen, wo die Tokens eingelöst werden',
  'tokens-given-up':
    'muss in einer Studie mit Tokens "lossless" sein: "chrome" gäbe einen Bericht auf, der 20 Minuten auf ein Token wartet',
  'debug-in-trial':
    'darf nicht in einer Studie stehen: Rauschen, Verzögerung und Uhr sind dort immer die echten',
  'paused-in-trial': 'darf nicht in einer Studie stehen: Ob angehalten wird, bestimmt, wer mitmacht',
  'half-character':
    'darf kein halbes Zeichen enthalten (ein einzelnes Surrogat), weil sich das nicht unterschreiben lässt',
  'inexact-number':
    'muss innerhalb von ±(2^53 − 1) liegen: Andere lesen {was} vielleicht als andere Zahl, darum lässt sie sich nicht unterschreiben',
  'wrong-signature':
    'passt nicht: Die Studie wurde nach der Unterschrift geändert oder mit einem anderen Schlüssel unterschrieben',

  // Parameter von Mechanismen, deren Name davorsteht.
  'no-numbers': 'muss mindestens eine Zahl enthalten',
  'not-a-probability': 'muss von 0 bis 1 gehen, war {was}',
  'probabilities-sum': 'muss eine Liste von Wahrscheinlichkeiten sein, die zusammen 1 ergeben, nicht {sum}',
  'values-per-probability':
    'muss so viele Zahlen haben, wie prior Wahrscheinlichkeiten hat ({probabilities}), hat {was}',
  'ascending-from-0': 'muss von 0 (keine Conversion) an aufsteigen, war {was}',
  'value-order': 'muss größer sein als {previous}, der Wert davor, war {was}',
  'nothing-to-report':
    'muss einen Wert über 0 enthalten, dessen Wahrscheinlichkeit über 0 liegt; sonst gibt es nichts zu melden',
  'too-many-here': 'darf hier höchstens {max} Zahlen haben, hat {count}; der Befehl nimmt mehr',
  'gap-not-taken': 'darf nur mit dem score "reciprocal" angegeben werden, war {was}',
  'click-after-conversion': 'darf nicht nach der Conversion liegen, war {was}',
  'click-too-late': 'muss mindestens gap − tau ({least}) vor der Conversion liegen, lag nur {nearest} davor',
  'row-length': 'muss so lang sein wie weights[0] ({conversions}), war {was}',
  'too-many-matchings':
    'darf höchstens {max} mögliche Zuordnungen für den exponentiellen Mechanismus haben, hatte mehr; greedy nimmt auch mehr',
  'no-weights': 'muss eine Matrix mit mindestens einer Zahl sein',
  'mechanism-impossible': 'ist nicht möglich: {problem}',
  'prior-per-state':
    'muss einen prior mit so vielen Wahrscheinlichkeiten haben, wie die Source Zustände hat ({states})',

  // Protokolle und Nachrichten.
  'no-user': 'muss ein Objekt mit einem "user" sein, der eine Zeichenkette und nicht leer ist',
  'field-of-row': 'darf "{name}" nicht enthalten, das aus der Zeile kommt',
} satisfies IssueMessages;
