/** Texts in scripts that no recorded session has, written for this measurement: a few sentences each, about the same small program. */
export const PROSE: { readonly [script: string]: readonly string[] } = {
  Chinese: [
    "请先阅读配置文件，然后修复登录页面的错误，不要修改数据库的结构。",
    "测试在第三步失败了，因为缓存没有及时更新，用户看到的是旧的数据。",
    "我们需要把这个函数拆成两个部分：一个负责读取文件，另一个负责检查内容。",
    "如果网络连接中断，程序应该等待几秒钟再重试，最多重试五次。",
    "所有的错误信息都要写进日志，并且告诉用户下一步应该怎么做。",
  ],
  Japanese: [
    "まず設定ファイルを読んでから、ログイン画面の不具合を直してください。データベースの構造は変えないでください。",
    "キャッシュが更新されていないため、テストは三番目の手順で失敗しました。",
    "この関数を二つに分けて、一つはファイルの読み込み、もう一つは内容の確認を担当させます。",
    "ネットワークが切れた場合は、数秒待ってから最大五回まで再試行します。",
    "エラーメッセージはすべてログに書き込み、利用者に次の操作を伝えてください。",
  ],
  Korean: [
    "먼저 설정 파일을 읽고 로그인 화면의 오류를 고쳐 주세요. 데이터베이스 구조는 바꾸지 마세요.",
    "캐시가 제때 갱신되지 않아서 세 번째 단계에서 테스트가 실패했습니다.",
    "이 함수를 두 부분으로 나누어 하나는 파일을 읽고 다른 하나는 내용을 확인하게 합니다.",
    "네트워크 연결이 끊기면 몇 초 기다렸다가 최대 다섯 번까지 다시 시도합니다.",
    "모든 오류 메시지는 로그에 기록하고 사용자에게 다음에 할 일을 알려 주세요.",
  ],
  Russian: [
    "Сначала прочитай файл настроек, потом исправь ошибку на странице входа и не меняй структуру базы данных.",
    "Тест не прошёл на третьем шаге, потому что кэш не обновился вовремя и пользователь видит старые данные.",
    "Эту функцию нужно разделить на две части: одна читает файл, другая проверяет его содержимое.",
    "Если соединение прервалось, программа ждёт несколько секунд и пробует снова, не больше пяти раз.",
    "Все сообщения об ошибках надо записывать в журнал и говорить пользователю, что делать дальше.",
  ],
  English: [
    "Read the configuration file first, then mend the error on the login page, and leave the database as it is.",
    "The test failed at the third step since the cache was not renewed in time and the user saw old data.",
    "This function has to be split in two parts: one reads the file, the other one checks what it holds.",
    "If the connection breaks, the program should wait for some seconds and try again, at most five times.",
    "Write all error messages to the log, and tell the user what to do next.",
  ],
};

/** The separator of sentences. */
export const CODE: readonly string[] = [
  "export async function readConfig(path: string): Promise<Config> {\n  const text = await readFile(path, 'utf8');\n  return parseConfig(JSON.parse(text));\n}\n",
  'for (let attempt = 0; attempt < 5; attempt++) {\n  if (await isReachable(url)) break;\n  logger.warn({ attempt, url }, "retrying");\n}\n',
  "| id | name | status |\n|---|---|---|\n| 17 | session-cache | failed |\n| 18 | login-page | ok |\n",
];

/** Texts that weigh a session down in one class of characters, 2,000 to 4,000 units each. */
export const HOSTILE: { readonly [name: string]: string } = {
  base64: base64Of(3000),
  "one letter": "a".repeat(2000),
  "letters without spaces": "thequickbrownfoxjumpsoverthelazydog".repeat(80),
  "words without spaces": wordsOf(3000, PROSE.English ?? []),
  "random letters": lettersOf(3000, "abcdefghijklmnopqrstuvwxyz"),
  "a protein in capitals": lettersOf(3000, "ACDEFGHIKLMNPQRSTVWY"),
  hexadecimal: Array.from({ length: 400 }, (_, index) => ((index * 2654435761) >>> 0).toString(16).padStart(8, "0")).join(""),
  emoji: "😀🚀✅🔥🧪".repeat(200),
  "spaces and lines": "    \n\n\t".repeat(400),
  underscores: "_".repeat(2000),
};

/** Bytes of a fixed sequence: as random as a hash, the same each time. */
function bytesOf(length: number): readonly number[] {
  let state = 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

function base64Of(chars: number): string {
  return Buffer.from(bytesOf((chars * 3) / 4)).toString("base64");
}

function lettersOf(chars: number, letters: string): string {
  return bytesOf(chars)
    .map((byte) => letters[byte % letters.length] ?? "")
    .join("");
}

/** Words of some sentences in a fixed disorder, in lower case and with nothing between them. */
function wordsOf(chars: number, sentences: readonly string[]): string {
  const words =
    sentences
      .join(" ")
      .toLowerCase()
      .match(/[a-z]+/g) ?? [];
  return bytesOf(chars)
    .map((byte) => words[byte % words.length] ?? "")
    .join("")
    .slice(0, chars);
}
